import type { Logger } from 'pino'
import type { Background } from '../background/index.ts'
import { eraseDeleted } from '../domain/tenants/deletions.ts'
import type { DomainContext } from '../domain/writes/context.ts'

/** The time between two searches for deleted tenants that are not completely erased. */
const POLL_MS = 10_000

/** The minimum time between two log lines about the progress. */
const TELL_MS = 10_000

/**
 * Starts to erase deleted tenants in the background: first those that earlier processes have left.
 */
export function followDeletions(
  context: DomainContext,
  background: Background,
  logger: Logger,
): void {
  let toldAt = Number.NEGATIVE_INFINITY
  const erasing = background.every(POLL_MS, 'erasing deleted tenants', (isClosed) =>
    eraseDeleted(context, {
      isStopped: isClosed,
      onStep({ id: tenantId, users, left }) {
        if (left > 0 && performance.now() - toldAt < TELL_MS) return
        toldAt = performance.now()
        const message = left > 0 ? 'erasing a deleted tenant' : 'a deleted tenant is erased'
        logger.info({ tenantId, users, left }, message)
      },
    }),
  )
  context.events.on('change', ({ action }) => {
    if (action === 'tenant.delete') setImmediate(() => void erasing.wake())
  })
  void erasing.wake()
}
