import type {
  Admission,
  AttemptCounter,
  AttemptLimit,
  Attempts,
  Beginning,
} from './protocol-store.ts'
import { within } from './queue-times.ts'
import type { Micros } from './records.ts'

/**
 * Whether another attempt may begin at `now`, after the counted `attempts`; `undefined` if no
 * attempts are counted.
 */
export function admissionAfter(
  attempts: Attempts | undefined,
  limit: AttemptLimit,
  now: Micros,
): Admission {
  if (!attempts) return { kind: 'admitted' }
  // The time of the last attempt is in the future, so the clock was set back since.
  if (attempts.lastAt > now + within(0)) return { kind: 'admitted' }
  const wait = attempts.lastAt + waitSeconds(attempts.count, limit) * 1e6 - now
  if (wait <= 0) return { kind: 'admitted' }
  return { kind: 'refused', retryAfterSeconds: Math.ceil(wait / 1e6) }
}

/**
 * The seconds to wait after `count` attempts: 0 while free attempts are left, then `baseSeconds`,
 * doubled by each further attempt up to `maxSeconds`.
 */
function waitSeconds(count: number, limit: AttemptLimit): number {
  const over = count - limit.free
  return over < 0 ? 0 : Math.min(limit.baseSeconds * 2 ** Math.min(over, 30), limit.maxSeconds)
}

/** Keeps the attempts in progress in memory, for a store that only one process uses. */
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
    /**
     * Begins an attempt; see `ProtocolStore.beginAttempt`.
     *
     * @param madeAt - Returns the attempts counted so far under a key.
     */
    begin(
      counters: readonly AttemptCounter[],
      attempt: string,
      until: Micros,
      madeAt: (key: string) => Attempts | undefined,
      now: Micros,
    ): Beginning {
      for (const [counter, { key, limit }] of counters.entries()) {
        const [made, running] = [madeAt(key), runningAt(key, now)]
        if (running > 0 && (made?.count ?? 0) + running >= limit.free) {
          return { kind: 'busy', counter }
        }
        const admission = admissionAfter(made, limit, now)
        if (admission.kind === 'refused') return { ...admission, counter }
      }
      for (const { key } of counters) {
        underWay.set(key, (underWay.get(key) ?? new Map<string, Micros>()).set(attempt, until))
      }
      return { kind: 'admitted' }
    },
    end,
  }
}
