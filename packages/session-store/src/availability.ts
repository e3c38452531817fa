import { SessionStoreError } from '@latchkey/core'
import { afterLoopTime, type StoreHealth } from '@latchkey/core/internal'
import { type ConnectionWatcher, NO_CONNECTION } from './redis-link.ts'

/**
 * Runs the commands of Redis with a time limit. While Redis does not answer, commands fail at once.
 */
export interface Availability {
  /**
   * Runs one command, and passes its answer to `use` synchronously, without a promise in between.
   *
   * @param use - Makes the result from the answer. An error that `use` throws does not count as an
   *   error of Redis.
   * @param recover - Returns an answer to use in place of an error of Redis. `undefined` keeps the
   *   error.
   * @throws {@link SessionStoreError} if the command fails or takes too long, or at once while
   *   Redis is away.
   */
  run<T, R>(
    kind: 'read' | 'write',
    command: () => Promise<T>,
    use: (answer: T) => R,
    recover?: (error: unknown) => T | undefined,
  ): Promise<R>
  health(): StoreHealth
  /** Receives the events of the connection, so that `health` needs no command. */
  readonly connection: ConnectionWatcher
}

const AWAY_AFTER = 3
// Redis 6 puts "ERR Error running script (…): -" before the error of a command in a script.
const REFUSES_WRITES = /(^|-)(OOM|READONLY|MISCONF|NOREPLICAS) /
const NOT_SERVING =
  /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM|ERR max number of clients) /
/** The remedies for failures of Redis, by a pattern of the error message. */
const REMEDIES: readonly (readonly [answer: RegExp, remedy: string])[] = [
  [/^(NOAUTH|WRONGPASS) /, "Correct the user and the password of Redis' address or client."],
  [/^NOPERM /, 'Give the user of this connection the commands that the message names (ACL).'],
  [/(^|-)OOM /, 'Give Redis more memory (maxmemory).'],
  [/(^|-)READONLY /, 'Set the address of the primary: this Redis is a replica.'],
  [/(^|-)MISCONF /, 'Free the disk of Redis: it cannot save, and takes no writes until it can.'],
  [/(^|-)NOREPLICAS /, 'Start the replicas of Redis: it takes no writes without them.'],
  [/^LOADING /, 'Wait until Redis has loaded its data.'],
  [/^ERR max number of clients /, 'Raise maxclients of Redis, or run fewer processes.'],
  [/ENOTFOUND|EAI_AGAIN/, "Correct the host of Redis' address: DNS has no such name."],
  [/ECONNREFUSED/, 'Start Redis, or correct the host and port of its address.'],
]
const UNANSWERED = 'Look whether Redis runs, is overloaded, or is behind a firewall.'
/**
 * The errors of a command that has waited for a connection. They do not contain the reason why
 * there is no connection.
 */
const SAYS_LITTLE = /^(Reached the max retries|Connection is closed|no answer within)/
const ANSWER = /^-?[A-Z]+ /

/**
 * Creates a circuit breaker for the commands of Redis. After three failures in a row, only one
 * command at a time is tried, to see whether Redis is back. All other commands fail at once, so
 * that requests do not pile up behind a lost connection.
 *
 * @param onSilence - Called when a command times out after at least two failures in a row. The
 *   connection may be dead although neither side has closed it.
 */
export function createAvailability(
  timeoutMilliseconds: number,
  onSilence: () => void = () => {},
  address?: string,
): Availability {
  const redis = address === undefined ? 'Redis' : `Redis at ${address}`
  let failures = 0
  let probing = false
  let status: StoreHealth['status'] = 'unknown'
  let reason: string | undefined
  /** The reason why there is no connection. The errors of waiting commands do not contain it. */
  let disconnected: string | undefined

  const succeeded = (kind: 'read' | 'write'): void => {
    failures = 0
    disconnected = undefined
    if (status === 'refusing-writes' && kind === 'read') return
    status = 'ok'
    reason = undefined
  }
  const errorOf = (why: string, what: string, cause?: unknown): SessionStoreError =>
    new SessionStoreError(cause, `${redis} ${what}`, remedyOf(why))
  const reasonOf = (cause: unknown): string =>
    (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)
  const failed = (cause: unknown): SessionStoreError => {
    const said = reasonOf(cause)
    const saysLittle = disconnected !== undefined && SAYS_LITTLE.test(said)
    reason = saysLittle ? String(disconnected) : said
    if (REFUSES_WRITES.test(reason)) {
      failures = 0
      status = 'refusing-writes'
    } else if (ANSWER.test(reason) && !NOT_SERVING.test(reason)) {
      failures = 0
    } else {
      failures += 1
      status = 'unavailable'
    }
    return errorOf(reason, `failed a command: ${reason}`, saysLittle ? undefined : showable(cause))
  }

  return {
    health: () => ({ status, reason }),
    connection: {
      lost(cause) {
        const said = reasonOf(cause)
        if (said !== NO_CONNECTION) disconnected ??= said
        // The first report has the reason, so later reports must not replace it.
        if (status === 'unavailable') return
        status = 'unavailable'
        reason = said
      },
      ready() {
        if (status === 'unknown' || status === 'unavailable') succeeded('read')
      },
    },
    run<T, R>(
      kind: 'read' | 'write',
      command: () => Promise<T>,
      use: (answer: T) => R,
      recover?: (error: unknown) => T | undefined,
    ): Promise<R> {
      const isAway = failures >= AWAY_AFTER
      if (isAway && probing) {
        return Promise.reject(errorOf(String(reason), `is away: ${reason}`))
      }
      if (isAway) probing = true
      return new Promise((resolve, reject) => {
        let settled = false
        const settle = (): boolean => {
          if (settled) return false
          settled = true
          wait.stop()
          if (isAway) probing = false
          return true
        }
        const answered = (answer: T): void => {
          if (!settle()) return
          succeeded(kind)
          try {
            resolve(use(answer))
          } catch (error) {
            reject(error)
          }
        }
        const expire = (): void => {
          if (!settle()) return
          reject(failed(new Error(`no answer within ${timeoutMilliseconds} ms`)))
          if (failures >= AWAY_AFTER) onSilence()
        }
        const wait = afterLoopTime(timeoutMilliseconds, expire)
        command().then(answered, (error) => {
          const instead = recover?.(error)
          if (instead !== undefined) answered(instead)
          else if (settle()) reject(failed(error))
        })
      })
    },
  }
}

function remedyOf(reason: string): string | undefined {
  const known = REMEDIES.find(([answer]) => answer.test(reason))
  // For any other error of Redis, the remedy of the `SessionStoreError` applies.
  return known?.[1] ?? (ANSWER.test(reason) ? undefined : UNANSWERED)
}

/**
 * The cause for the thrown error. `undefined` for errors of ioredis that contain the command with
 * its arguments, such as the password.
 */
function showable(cause: unknown): unknown {
  return cause instanceof Error && !('command' in cause) ? cause : undefined
}
