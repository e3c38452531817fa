import type { Logger } from 'pino'
import { eraseDeleted } from './domain/tenants/deletions.ts'
import type { DomainContext } from './domain/writes/context.ts'
import type { AuditEntry } from './store/records.ts'

/** How often deleted tenants are looked for that another process has left. */
const POLL_MS = 10_000

/** The interval of log lines about the progress. */
const TELL_MS = 10_000

/** Erases deleted tenants in the background. */
export interface Erasure {
  /** Stops after the step that is under way. */
  close(): Promise<void>
}

/** Starts to erase deleted tenants, those of earlier processes first. */
export function followDeletions(context: DomainContext, logger: Logger): Erasure {
  let running: Promise<void> | undefined
  let isClosed = false
  let toldAt = Number.NEGATIVE_INFINITY

  async function run(): Promise<void> {
    await eraseDeleted(context, {
      isStopped: () => isClosed,
      onStep({ id: tenantId, users, left }) {
        if (left > 0 && performance.now() - toldAt < TELL_MS) return
        toldAt = performance.now()
        const message = left > 0 ? 'erasing a deleted tenant' : 'a deleted tenant is erased'
        logger.info({ tenantId, users, left }, message)
      },
    })
  }

  function wake(): void {
    running ??= run()
      .catch((err: unknown) => {
        logger.error({ err }, 'A deleted tenant could not be erased; it will be tried again.')
      })
      .finally(() => {
        running = undefined
      })
  }

  function onChange({ action }: AuditEntry): void {
    if (action === 'tenant.delete') setImmediate(wake)
  }
  context.events.on('change', onChange)
  const polling = setInterval(wake, POLL_MS)
  polling.unref()
  wake()

  return {
    async close() {
      isClosed = true
      clearInterval(polling)
      context.events.off('change', onChange)
      await running
    },
  }
}
