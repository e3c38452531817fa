import { SessionEndedError } from '../errors/errors.ts'
import type { SessionsById } from './sessions-by-id.ts'

/** Notifies long-lived connections, such as WebSockets, when their session ends. */
export interface SessionWatch {
  /**
   * A signal that is aborted with a {@link SessionEndedError} when the session ends: at once if
   * this process destroys it, and within ten seconds if it expires or another process destroys it.
   * A session in a cookie is watched only for `expiresAt` and its end in this process.
   *
   * @param id - The id of the session; `undefined` if only `expiresAt` counts.
   * @param expiresAt - The time at which the session expires in any case, in seconds since the
   *   epoch.
   * @param onClose - Receives the function that stops the watch, and must call it when the
   *   connection is closed. Without `onClose`, the session is watched until it ends.
   */
  until(
    id: string | undefined,
    expiresAt: number,
    onClose?: (stop: () => void) => void,
  ): AbortSignal
}

interface Watched {
  readonly id: string | undefined
  readonly expiresAt: number
  readonly controller: AbortController
}

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
  let timer: ReturnType<typeof setInterval> | undefined
  let isPolling = false

  const start = (one: Watched): void => {
    watched.add(one)
    if (one.id !== undefined) byId.set(one.id, (byId.get(one.id) ?? new Set<Watched>()).add(one))
  }
  const stop = (one: Watched): void => {
    watched.delete(one)
    const others = byId.get(one.id ?? '')
    others?.delete(one)
    if (others?.size === 0) byId.delete(one.id ?? '')
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
    sessions.ends.hear = undefined
  }
  const end = (one: Watched): void => {
    stop(one)
    one.controller.abort(new SessionEndedError('The session behind this connection has ended.'))
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
    for (const one of [...watched]) if (one.expiresAt <= now) end(one)
    if (isPolling) return
    isPolling = true
    const ids = sessions.inCookie ? [] : [...byId.keys()]
    while (ids.length > 0) await Promise.all(ids.splice(0, AT_A_TIME).map(check))
    isPolling = false
  }

  return {
    until(id, expiresAt, onClose) {
      const one: Watched = { id, expiresAt, controller: new AbortController() }
      start(one)
      sessions.ends.hear = endAll
      timer ??= setInterval(() => void poll(), POLL_MILLISECONDS)
      // Only Node has `unref`. The timer need not keep the process running, because an open
      // connection does.
      ;(timer as { unref?(): void }).unref?.()
      onClose?.(() => stop(one))
      // The session may have ended while a guard decided.
      if (id !== undefined && !sessions.inCookie) void check(id)
      return one.controller.signal
    },
  }
}
