import { isThenable, type MaybePromise } from '../shared/maybe-promise.ts'
import { createEndedLogins } from './ended-logins.ts'
import { createSessionCookie, newSessionId } from './session-cookie.ts'
import { expiryOf, hasExpired, isTouchDue, type SessionSettings } from './session-record.ts'
import { createSessionsById, type SessionsById } from './sessions-by-id.ts'
import { StoredSession } from './stored-session.ts'
import type { SessionRecord, SessionStore } from './stores/session-store.ts'
import { storeError } from './stores/store-answer.ts'

/** Sessions in a store, found by a signed cookie, or sealed in the cookie itself. */
export interface StoredSessions extends SessionsById {
  /**
   * Opens the session of a `Cookie` header: at most one look-up, none without a genuine cookie.
   *
   * @param response - The response to the request, which says whether its headers have left.
   * @param use - Receives the session: at once if the store answers at once.
   */
  open<T>(
    cookieHeader: string | null | undefined,
    response: { readonly isSent?: boolean | undefined },
    use: (session: StoredSession) => MaybePromise<T>,
  ): MaybePromise<T>
}

/**
 * Makes sessions over a store.
 *
 * @param now - The time in whole seconds.
 * @param hearsOfLogouts - Whether the provider may send notices that a session ended; needs an index.
 */
export function createStoredSessions(
  store: SessionStore,
  settings: SessionSettings,
  now: () => number,
  hearsOfLogouts = false,
): StoredSessions {
  const cookie = createSessionCookie(settings)
  store.useSecrets?.(settings.secrets)
  const { idleSeconds } = settings
  const sessions = createSessionsById({
    settings,
    store,
    now,
    endedLogins:
      hearsOfLogouts && store.index ? createEndedLogins(store, settings.secrets, now) : undefined,
    newId: newSessionId,
    setCookies: cookie.setCookies,
  })
  const found = (id: string, record: SessionRecord | undefined): StoredSession => {
    const time = now()
    if (!record || hasExpired(record, time)) return new StoredSession(sessions)
    const { login, expiresAt } = record
    const later = expiryOf(login, idleSeconds, time)
    if (later > expiresAt && isTouchDue(expiresAt, idleSeconds, time, store.touchSeconds)) {
      touch(store, id, record, later)
    }
    return new StoredSession(sessions, { id, record })
  }
  const failed = (cause: unknown): StoredSession =>
    new StoredSession(sessions, { failure: storeError(cause) })

  return {
    ...sessions,
    open(cookieHeader, _response, use) {
      const id = cookie.idIn(cookieHeader)
      if (!id) return use(new StoredSession(sessions))
      let answer: ReturnType<SessionStore['get']>
      try {
        answer = store.get(id)
      } catch (cause) {
        return use(failed(cause))
      }
      if (!isThenable(answer)) return use(found(id, answer))
      // One promise for all that follows: each request waits here.
      return answer.then(
        (record) => use(found(id, record)),
        (cause: unknown) => use(failed(cause)),
      )
    },
  }
}

/** Touches a session. If that fails, the session is served as it was read and the next request tries again. */
function touch(store: SessionStore, id: string, seen: SessionRecord, expiresAt: number): void {
  try {
    Promise.resolve(store.touch(id, seen, expiresAt)).catch(() => {})
  } catch {}
}
