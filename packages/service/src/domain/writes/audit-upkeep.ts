import type { Background } from '../../background/index.ts'
import { pruneAudit, trimRefusals } from './audit.ts'
import type { DomainContext } from './context.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * The interval, in milliseconds, at which surplus refused requests are deleted. An API key can make
 * some thousand requests in this period.
 */
const TRIM_EVERY_MS = 10_000

/**
 * Keeps the audit log within its limits in the background. Old entries are deleted from now on and
 * each day, surplus refused requests every ten seconds. The start of the service does not wait for
 * the deletion, which takes minutes after `days` was lowered.
 *
 * @param days - The number of days for which entries are kept.
 */
export function startAuditUpkeep(
  context: DomainContext,
  background: Background,
  days: number,
): void {
  background.every(TRIM_EVERY_MS, 'trimming refused requests', () => trimRefusals(context))
  const pruning = background.every(DAY_MS, 'pruning the audit log', (isClosed) =>
    pruneAudit(context, days, isClosed),
  )
  void pruning.wake()
}
