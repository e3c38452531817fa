import type { Admission, AttemptLimit, Attempts, Beginning } from './protocol-store.ts'
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

/** The attempts under way, of a store that one process uses. */
export function createAttemptsUnderWay() {
  const underWay = new Map<string, Map<string, Micros>>()

  function runningAt(key: string, now: Micros): number {
    const running = underWay.get(key)
    for (const [attempt, until] of running ?? []) if (until <= now) end(key, attempt)
    return running?.size ?? 0
  }

  function end(key: string, attempt: string): void {
    const running = underWay.get(key)
    running?.delete(attempt)
    if (running?.size === 0) underWay.delete(key)
  }

  return {
    /** Begins an attempt after those that were `made`; see `ProtocolStore.beginAttempt`. */
    begin(
      [key, limit, attempt, until]: [string, AttemptLimit, string, Micros],
      made: Attempts | undefined,
      now: Micros,
    ): Beginning {
      const running = runningAt(key, now)
      if (running > 0 && (made?.count ?? 0) + running >= limit.free) return { kind: 'busy' }
      const admission = admissionAfter(made, limit, now)
      if (admission.kind === 'admitted') {
        underWay.set(key, (underWay.get(key) ?? new Map<string, Micros>()).set(attempt, until))
      }
      return admission
    },
    end,
  }
}
