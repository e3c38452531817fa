import type { Logger } from 'pino'
import type { Background } from '../background/index.ts'
import { eraseDeleted } from '../domain/tenants/deletions.ts'
import type { DomainContext } from '../domain/writes/context.ts'

/** How often to look for deleted tenants that another process has not finished. */
const POLL_MS = 10_000

/** How often a line about the progress is logged. */
const TELL_MS = 10_000

/** Starts to erase deleted tenants in the background, those of earlier processes first. */
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
