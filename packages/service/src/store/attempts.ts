import type { Admission, AttemptLimit } from './protocol-store.ts'
import type { Micros } from './records.ts'

/** The attempts made so far. */
export interface Attempts {
  count: number
  lastAt: Micros
}

/** What an attempt at `now` leads to; `attempts` is what to remember from then on. */
export function decideAdmission(
  before: Attempts | undefined,
  limit: AttemptLimit,
  now: Micros,
): { admission: Admission; attempts: Attempts } {
  const attempts = before && now < before.lastAt + limit.forgetSeconds * 1e6 ? before : undefined
  if (!attempts) return { admission: { kind: 'admitted' }, attempts: { count: 1, lastAt: now } }

  const wait = attempts.lastAt + waitSeconds(attempts.count, limit) * 1e6 - now
  if (wait > 0) {
    return { admission: { kind: 'refused', retryAfterSeconds: Math.ceil(wait / 1e6) }, attempts }
  }
  return { admission: { kind: 'admitted' }, attempts: { count: attempts.count + 1, lastAt: now } }
}

/** How long after the attempt number `count` the next one has to wait. */
function waitSeconds(count: number, limit: AttemptLimit): number {
  const over = count - limit.free
  return over < 0 ? 0 : Math.min(limit.baseSeconds * 2 ** Math.min(over, 30), limit.maxSeconds)
}
