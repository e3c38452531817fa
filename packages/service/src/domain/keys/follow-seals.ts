import type { Background } from '../../background/index.ts'
import type { Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { type DomainContext, exclusively, nowMicros } from '../writes/context.ts'
import { sealAudit } from './audit-seals.ts'

/** The interval, in milliseconds, between checks whether a day (UTC) has ended. */
const LOOK_EVERY_MS = 600_000

/** The maximum number of tenants that one query reads. */
const BATCH = 100

/** The number of tenants that an error names. */
const NAMED = 10

/**
 * Starts sealing the audit entries of past days: at once, and after each midnight (UTC). One
 * process at a time seals. If the log of a tenant cannot be sealed, the others are sealed, and the
 * failure is reported and tried again.
 */
export function followSeals(context: DomainContext, background: Background): void {
  let doneDay: number | undefined
  const sealing = background.every(LOOK_EVERY_MS, 'sealing the audit log', async (isClosed) => {
    const day = Math.floor(nowMicros(context.clock) / (86_400 * 1e6))
    if (day === doneDay) return
    const failures: { tenantId: string; error: unknown }[] = []
    const isOurs = await exclusively(context, 'audit-seals', async () => {
      for await (const tenantId of tenantIds(context)) {
        if (isClosed()) break
        try {
          await sealAudit({ context, actor: { name: 'service' }, tenantId })
        } catch (error) {
          failures.push({ tenantId, error })
        }
      }
    })
    if (failures.length > 0) throw unsealed(failures)
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

function unsealed(failures: readonly { tenantId: string; error: unknown }[]): Error {
  const first = failures.slice(0, NAMED)
  const names = first.map(({ tenantId }) => tenantId).join(', ')
  const others = failures.length - first.length
  const message =
    failures.length === 1
      ? `The audit log of ${names} was not sealed.`
      : `The audit logs of ${failures.length} tenants were not sealed: ${names}${others > 0 ? ' and others' : ''}.`
  return new AggregateError(
    first.map(({ error }) => error),
    message,
  )
}
