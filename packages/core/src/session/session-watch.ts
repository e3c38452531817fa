import { SessionEndedError } from '../errors/errors.ts'
import type { AuthRequest } from '../http/request.ts'
import type { SessionsById } from './sessions-by-id.ts'

/** The login behind a connection. */
export interface WatchedLogin {
  /** The id of the session; `undefined` for a bearer token, of which only `expiresAt` counts. */
  readonly id: string | undefined
  readonly issuer: string
  readonly sub: string
  /** The time at which the login expires in any case, in seconds since the epoch. */
  readonly expiresAt: number
}

/** Notifies long-lived connections, such as WebSockets, when their session ends. */
export interface SessionWatch {
  /**
   * A signal that is aborted with a {@link SessionEndedError} when the session ends: at once if
   * this process destroys it, and within ten seconds if it expires or another process destroys it.
   * A session in a cookie is watched only for `expiresAt` and its end in this process.
   *
   * Not every runtime reports that a connection is closed. So the connections of a session, or of
   * the bearer tokens of a user, have a limit: above it, the signal of the oldest one is aborted.
   *
   * @param request - The request that has opened the connection. While its login is the same, it
   *   gets the same signal. Without `onClose`, the session is watched until it ends.
   */
  until(request: Pick<AuthRequest, 'onClose'>, login: WatchedLogin): AbortSignal
}

interface Watched {
  readonly login: WatchedLogin
  readonly controller: AbortController
  /** The groups of connections that share a limit, and the key of the group of this one. */
  readonly groups: Map<string, Set<Watched>>
  readonly key: string
  readonly max: number
}

/** The limit of connections of a session. */
const MAX_OF_SESSION = 100
/** The limit of connections of the bearer tokens of a user, who may be a program. */
const MAX_OF_BEARER = 1000
const POLL_MILLISECONDS = 10_000
/** The number of sessions that are read at a time. */
const AT_A_TIME = 50

/**
 * Makes the {@link SessionWatch} of an instance. While no connection is watched, it reads no
 * session and runs no timer.
 */
export function createSessionWatch(sessions: SessionsById): SessionWatch {
  const watched = new Set<Watched>()
  /** The watched connections by session id, so that a logout finds those of its session at once. */
  const byId = new Map<string, Set<Watched>>()
  const byBearer = new Map<string, Set<Watched>>()
  const byRequest = new WeakMap<object, Watched>()
  let timer: ReturnType<typeof setInterval> | undefined
  let isPolling = false

  const groupOf = ({ id, issuer, sub }: WatchedLogin) =>
    id === undefined
      ? { groups: byBearer, key: JSON.stringify([issuer, sub]), max: MAX_OF_BEARER }
      : { groups: byId, key: id, max: MAX_OF_SESSION }
  const start = (one: Watched): void => {
    const { groups, key, max } = one
    const group = groups.get(key) ?? new Set<Watched>()
    watched.add(one)
    groups.set(key, group.add(one))
    const [oldest] = group
    if (oldest && group.size > max) {
      end(oldest, `There are ${max} newer connections of the same session or user.`)
    }
  }
  const stop = (one: Watched): void => {
    const { groups, key } = one
    watched.delete(one)
    const group = groups.get(key)
    group?.delete(one)
    if (group?.size === 0) groups.delete(key)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
    sessions.ends.hear = undefined
  }
  const end = (one: Watched, why = 'The session behind this connection has ended.'): void => {
    stop(one)
    one.controller.abort(new SessionEndedError(why))
  }
  const endAll = (id: string): void => {
    for (const one of [...(byId.get(id) ?? [])]) end(one)
  }
  const check = async (id: string): Promise<void> => {
    try {
      const record = await sessions.load(id)
      if (!record?.login) endAll(id)
    } catch {
      // A failure of the store ends no session. The next poll reads the session again.
    }
  }
  const poll = async (): Promise<void> => {
    const now = sessions.now()
    for (const one of [...watched]) if (one.login.expiresAt <= now) end(one)
    if (isPolling) return
    isPolling = true
    const ids = sessions.inCookie ? [] : [...byId.keys()]
    while (ids.length > 0) await Promise.all(ids.splice(0, AT_A_TIME).map(check))
    isPolling = false
  }

  return {
    until(request, login) {
      const known = byRequest.get(request)
      if (known && isSame(known.login, login)) return known.controller.signal
      const one = { login, controller: new AbortController(), ...groupOf(login) }
      byRequest.set(request, one)
      start(one)
      sessions.ends.hear = endAll
      timer ??= setInterval(() => void poll(), POLL_MILLISECONDS)
      // Only Node has `unref`. The timer need not keep the process running, because an open
      // connection does.
      ;(timer as { unref?(): void }).unref?.()
      request.onClose?.(() => stop(one))
      // The session may have ended while a guard decided.
      if (login.id !== undefined && !sessions.inCookie) void check(login.id)
      return one.controller.signal
    },
  }
}

function isSame(one: WatchedLogin, other: WatchedLogin): boolean {
  return (
    one.id === other.id &&
    one.issuer === other.issuer &&
    one.sub === other.sub &&
    one.expiresAt === other.expiresAt
  )
}
