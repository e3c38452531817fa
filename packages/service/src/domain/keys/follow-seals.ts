import type { Background } from '../../background/index.ts'
import type { Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { type DomainContext, exclusively, nowMicros } from '../writes/context.ts'
import { sealAudit } from './audit-seals.ts'

/** The interval, in milliseconds, between checks whether a day (UTC) has ended. */
const LOOK_EVERY_MS = 600_000

/** The maximum number of tenants that one query reads. */
const BATCH = 100

/**
 * Starts sealing the audit entries of past days: at once, and after each midnight (UTC). One
 * process at a time seals.
 */
export function followSeals(context: DomainContext, background: Background): void {
  let doneDay: number | undefined
  const sealing = background.every(LOOK_EVERY_MS, 'sealing the audit log', async (isClosed) => {
    const day = Math.floor(nowMicros(context.clock) / (86_400 * 1e6))
    if (day === doneDay) return
    const isOurs = await exclusively(context, 'audit-seals', async () => {
      for await (const tenantId of tenantIds(context)) {
        if (isClosed()) return
        await sealAudit({ context, actor: { name: 'service' }, tenantId })
      }
    })
    if (isOurs && !isClosed()) doneDay = day
  })
  void sealing.wake()
}

/** The ids of all tenants with an audit log. The system tenant comes first, if it exists. */
export async function* tenantIds({ store }: DomainContext): AsyncGenerator<string> {
  if (await store.tenants.get(SYSTEM_TENANT_ID)) yield SYSTEM_TENANT_ID
  const all: Reach = 'all'
  for (let after: string | undefined; ; ) {
    const page = await store.tenants.list(all, { after, limit: BATCH })
    for (const { id } of page.items) yield id
    if (!page.more) return
    after = page.items.at(-1)?.id
  }
}
