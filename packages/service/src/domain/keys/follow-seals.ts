import type { Background } from '../../background/index.ts'
import type { Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { type DomainContext, exclusively, nowMicros } from '../writes/context.ts'
import { sealAudit } from './audit-seals.ts'

/** The interval, in milliseconds, at which to check whether a day has ended. */
const LOOK_EVERY_MS = 600_000

/** The number of tenants that are read at a time. */
const BATCH = 100

/** Seals the entries of past days, at once and after each midnight (UTC). One process at a time does it. */
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

/** The ids of the tenants that have a log: all, and that of the operators, if there is one. */
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
