/** How the store stands with Redis, as its latest commands tell. */
export interface StoreHealth {
  /** `refusing-writes`: sessions can be read but not begun or changed (full, or a replica). */
  readonly status: 'unknown' | 'ok' | 'refusing-writes' | 'unavailable'
  /** What Redis or the connection said last when it failed. */
  readonly reason: string | undefined
}

/** Bounds how long commands may take, and stops asking while nothing answers. */
export interface Availability {
  /** Runs one command. Rejects when it takes too long, or at once while Redis is away. */
  run<T>(kind: 'read' | 'write', command: () => Promise<T>): Promise<T>
  health(): StoreHealth
}

/** Redis did not answer. Nothing is known about any session. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'LATCHKEY_STORE_UNAVAILABLE'
}

const AWAY_AFTER = 3
const REFUSES_WRITES = /^(OOM|READONLY|MISCONF|NOREPLICAS) /
const NOT_SERVING = /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN) /
const ANSWER = /^-?[A-Z]+ /

/**
 * Makes it. After a few failures in a row one command at a time is let through to see whether Redis
 * is back; the others fail at once, so requests do not pile up behind a connection that is gone.
 */
export function createAvailability(timeoutMilliseconds: number): Availability {
  let failures = 0
  let probing = false
  let status: StoreHealth['status'] = 'unknown'
  let reason: string | undefined

  const succeeded = (kind: 'read' | 'write'): void => {
    failures = 0
    if (status === 'refusing-writes' && kind === 'read') return
    status = 'ok'
    reason = undefined
  }
  const failed = (error: unknown): void => {
    reason = error instanceof Error ? error.message.slice(0, 200) : String(error)
    if (REFUSES_WRITES.test(reason)) {
      failures = 0
      status = 'refusing-writes'
    } else if (ANSWER.test(reason) && !NOT_SERVING.test(reason)) {
      failures = 0
    } else {
      failures += 1
      status = 'unavailable'
    }
  }

  return {
    health: () => ({ status, reason }),
    run(kind, command) {
      const isAway = failures >= AWAY_AFTER
      if (isAway && probing) return Promise.reject(unavailable(reason))
      if (isAway) probing = true
      return new Promise((resolve, reject) => {
        let settled = false
        const settle = (): boolean => {
          if (settled) return false
          settled = true
          clearTimeout(timer)
          if (isAway) probing = false
          return true
        }
        const expire = (): void => {
          if (!settle()) return
          const error = unavailable(`no answer within ${timeoutMilliseconds} ms`)
          failed(error)
          reject(error)
        }
        // An answer that waited because this process was busy is read before time is called.
        const timer = setTimeout(() => setImmediate(expire), timeoutMilliseconds)
        command().then(
          (value) => {
            succeeded(kind)
            if (settle()) resolve(value)
          },
          (error) => {
            if (!settle()) return
            failed(error)
            reject(error)
          },
        )
      })
    },
  }
}

function unavailable(reason: string | undefined): StoreUnavailableError {
  return new StoreUnavailableError(`Redis is not answering: ${reason ?? 'no connection'}`)
}
