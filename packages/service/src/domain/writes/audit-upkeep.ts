import { pruneAudit, trimRefusals } from './audit.ts'
import type { DomainContext } from './context.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/** The interval in which surplus refused requests are deleted: a key makes some thousand in this time. */
const TRIM_EVERY_MS = 10_000

/** Keeps the audit log within its limits, outside of requests. */
export interface AuditUpkeep {
  /** Stops after the work in progress. */
  close(): Promise<void>
}

/**
 * Deletes old entries at once and each day, and surplus refused requests every ten seconds.
 *
 * @param days - How long entries are kept.
 * @param report - Logs a failure, after which the next attempt is made at the usual time.
 */
export async function startAuditUpkeep(
  context: DomainContext,
  days: number,
  report: (error: unknown, message: string) => void,
): Promise<AuditUpkeep> {
  let last = Promise.resolve()
  const add = (task: () => Promise<void>, message: string): Promise<void> => {
    last = last.then(task).catch((error) => report(error, message))
    return last
  }
  const prune = () => add(() => pruneAudit(context, days), 'pruning failed')
  const trim = () => add(() => trimRefusals(context), 'trimming refused requests failed')
  const timers = [
    setInterval(() => void prune(), DAY_MS),
    setInterval(() => void trim(), TRIM_EVERY_MS),
  ]
  for (const timer of timers) timer.unref()
  await prune()
  return {
    async close() {
      for (const timer of timers) clearInterval(timer)
      await trim()
    },
  }
}
