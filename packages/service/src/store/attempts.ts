import type { Admission, AttemptLimit, Attempts } from './protocol-store.ts'
import type { Micros } from './records.ts'

/** Whether another attempt may be made at `now`, after those made so far. */
export function admissionAfter(
  attempts: Attempts | undefined,
  limit: AttemptLimit,
  now: Micros,
): Admission {
  if (!attempts) return { kind: 'admitted' }
  const wait = attempts.lastAt + waitSeconds(attempts.count, limit) * 1e6 - now
  if (wait <= 0) return { kind: 'admitted' }
  return { kind: 'refused', retryAfterSeconds: Math.ceil(wait / 1e6) }
}

/** How long after the attempt number `count` the next one has to wait. */
function waitSeconds(count: number, limit: AttemptLimit): number {
  const over = count - limit.free
  return over < 0 ? 0 : Math.min(limit.baseSeconds * 2 ** Math.min(over, 30), limit.maxSeconds)
}
