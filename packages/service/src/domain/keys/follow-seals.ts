import type { Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { type DomainContext, exclusively, nowMicros } from '../writes/context.ts'
import { sealAudit } from './audit-seals.ts'

/** How often to look whether a day has ended. */
const LOOK_EVERY_MS = 600_000

/** How many tenants are read at a time. */
const BATCH = 100

/** Seals the audit log of each tenant once a day. */
export interface SealUpkeep {
  /** Stops after the tenant in progress. */
  close(): Promise<void>
}

/**
 * Seals the entries of past days, at once and after each midnight (UTC). One process does at a time.
 *
 * @param report - Logs a failure, after which the next attempt is made at the usual time.
 */
export function followSeals(
  context: DomainContext,
  report: (error: unknown, message: string) => void,
): SealUpkeep {
  let running: Promise<void> | undefined
  let doneDay: number | undefined
  let isClosed = false

  async function run(): Promise<void> {
    const day = Math.floor(nowMicros(context.clock) / (86_400 * 1e6))
    if (day === doneDay) return
    const isOurs = await exclusively(context, 'audit-seals', async () => {
      for await (const tenantId of tenantIds(context)) {
        if (isClosed) return
        await sealAudit({ context, actor: { name: 'service' }, tenantId })
      }
    })
    if (isOurs && !isClosed) doneDay = day
  }

  function look(): void {
    running ??= run()
      .catch((error: unknown) => report(error, 'sealing the audit log failed'))
      .finally(() => {
        running = undefined
      })
  }
  const looking = setInterval(look, LOOK_EVERY_MS)
  looking.unref()
  look()

  return {
    async close() {
      isClosed = true
      clearInterval(looking)
      await running
    },
  }
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
