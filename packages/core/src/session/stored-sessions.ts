import { isThenable, type MaybePromise } from '../shared/maybe-promise.ts'
import { createEndedLogins } from './ended-logins.ts'
import { createRefreshLock } from './refresh-lock.ts'
import { createSessionCookie, newSessionId } from './session-cookie.ts'
import { expiryOf, hasExpired, isTouchDue, type SessionSettings } from './session-record.ts'
import { createSessionsById, type SessionsById } from './sessions-by-id.ts'
import { StoredSession } from './stored-session.ts'
import { createProcessLock } from './stores/process-lock.ts'
import type { SessionRecord, SessionStore } from './stores/session-store.ts'
import { storeError } from './stores/store-answer.ts'

/**
 * The sessions of an instance: in a store and found by a signed cookie, or sealed in the cookie.
 */
export interface StoredSessions extends SessionsById {
  /**
   * Opens the session of a `Cookie` header, with at most one look-up, and none without a genuine
   * cookie.
   *
   * @param response - The response to the request, which says whether its headers were sent.
   * @param use - Receives the session, synchronously if the store answers synchronously.
   */
  open<T>(
    cookieHeader: string | null | undefined,
    response: { readonly isSent?: boolean | undefined },
    use: (session: StoredSession) => MaybePromise<T>,
  ): MaybePromise<T>
}

/**
 * Makes sessions that are kept in a store.
 *
 * @param now - The time in whole seconds.
 * @param lockSeconds - The seconds for which one refresh may keep others waiting.
 * @param hearsOfLogouts - Whether the provider may send logout tokens. Without an index in the
 *   store, they are not remembered.
 */
export function createStoredSessions(
  store: SessionStore,
  settings: SessionSettings,
  now: () => number,
  lockSeconds: number,
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
    refreshLock: createRefreshLock(store.lock ?? createProcessLock(now), lockSeconds),
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
      // Only one promise, because each request waits for it.
      return answer.then(
        (record) => use(found(id, record)),
        (cause: unknown) => use(failed(cause)),
      )
    },
  }
}

/** Touches a session in the background. A failure is ignored, and the next request tries again. */
function touch(store: SessionStore, id: string, seen: SessionRecord, expiresAt: number): void {
  try {
    Promise.resolve(store.touch(id, seen, expiresAt)).catch(() => {})
  } catch {}
}
