import { randomText } from '../crypto/random.ts'
import { SessionStoreError } from '../errors.ts'
import { type CookieScope, readCookie } from '../http/cookies.ts'
import { createEndedLogins, type EndedLogins } from '../logout/ended-logins.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { BrowserSession, type Opened } from './browser-session.ts'
import type { AuthSession, SessionHandle } from './session.ts'
import { createCookieSigner } from './session-cookie.ts'
import { indexKeys, isLive, stamp } from './session-record.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import { storeAnswer } from './store-answer.ts'
import { call, isFailure, read, replaceRecord } from './store-calls.ts'
import { createTouchRule } from './touch-rule.ts'

/** What sessions need of the options, every default filled in. */
export interface SessionSettings {
  readonly secrets: readonly string[]
  readonly cookieName: string
  readonly cookie: CookieScope
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  /** Names of what an anonymous visitor's session keeps when they sign in. */
  readonly keepAnonymousData: readonly string[]
}

/** One browser's session during one request. */
export interface StoredSession extends SessionHandle {
  /** The record found when the session was opened, without the part of the kit. */
  readonly record: SessionRecord | undefined
  /** What the core stored, as of the last read or write. */
  readonly current: AuthSession | undefined
  /** Why the store could not answer. */
  readonly failure: SessionStoreError | undefined
  /** The `Set-Cookie` values that what was done asks for. */
  readonly setCookies: readonly string[]
  read(): AuthSession | undefined
  /**
   * Stores what the application keeps beside the login, under the same id. When another request has
   * stored something meanwhile, each key is taken from the request that changed it.
   *
   * @param read - The application's part as this request had read it, as JSON.
   * @throws {@link SessionEndedError} when the session has ended meanwhile: a late write never brings
   *   it back.
   */
  saveData(id: string, record: SessionRecord, read: string): Promise<void>
}

/** Sessions behind a signed cookie, over any store of express-session's kind. */
export interface StoredSessions {
  readonly settings: SessionSettings
  readonly store: SessionStore
  /** The logins that the provider has ended of late, where it can say so. */
  readonly endedLogins: EndedLogins | undefined
  /** The secrets that sign the cookie; express-session signs and reads the same way with them. */
  readonly cookieSecrets: readonly string[]
  /** The value of the cookie that carries a session id. */
  signCookie(id: string): string
  /** Opens the session of a `Cookie` header: at most one look-up, none without a genuine cookie. */
  open(cookieHeader: string | null | undefined): MaybePromise<StoredSession>
  /** Makes a session id: 256 random bits. */
  newId(): string
  /** Reads a session by id; `undefined` when it has ended. */
  load(id: string): Promise<SessionRecord | undefined>
  /**
   * Replaces what the core stored, if the session is still there and still has the tokens that were
   * `seen`: of two refreshes the later never undoes the earlier.
   */
  replace(id: string, session: AuthSession, seen?: AuthSession): Promise<boolean>
  /** Ends a session by id. */
  destroy(id: string, session: AuthSession | undefined): Promise<void>
}

/**
 * Makes sessions over a store.
 *
 * @param now - The time in whole seconds.
 * @param hearsOfLogouts - Whether the provider can send notices that a session ended.
 */
export function createStoredSessions(
  store: SessionStore,
  settings: SessionSettings,
  now: () => number,
  hearsOfLogouts = false,
): StoredSessions {
  const signer = createCookieSigner(settings.secrets)
  store.useSecrets?.(settings.secrets)
  const touches = createTouchRule(settings.idleSeconds, store.touchSeconds)
  const session = (opened: Opened): StoredSession => new BrowserSession(sessions, now, opened)
  const found = (id: string, record: SessionRecord | null | undefined): Opened => {
    const time = now()
    if (!record || !isLive(record, time)) return NOTHING
    const verdict = touches.judge(id, record, time)
    if (verdict === 'ended') return NOTHING
    if (verdict === 'renew' && !store.replace) renew(store, id, settings, time)
    else if (verdict !== 'live') touch(store, id, record, settings, time)
    return { id, record }
  }

  const sessions: StoredSessions = {
    settings,
    store,
    endedLogins: hearsOfLogouts ? createEndedLogins(store, settings.secrets, now) : undefined,
    cookieSecrets: signer.secrets,
    signCookie: (id) => signer.sign(id),
    open(cookieHeader) {
      const id = signer.verify(readCookie(cookieHeader, settings.cookieName))
      if (!id) return session(NOTHING)
      // A store that answers at once costs no turn of the event loop.
      let opened: StoredSession | undefined
      let later: ((session: StoredSession) => void) | undefined
      try {
        store.get(id, (error, record) => {
          opened = session(
            isFailure(error) ? { failure: new SessionStoreError(error) } : found(id, record),
          )
          later?.(opened)
        })
      } catch (cause) {
        return session({ failure: new SessionStoreError(cause) })
      }
      return (
        opened ??
        new Promise((resolve) => {
          later = resolve
        })
      )
    },
    newId: () => randomText(32),
    async load(id) {
      const record = await storeAnswer(read(store, id))
      const time = now()
      return record && isLive(record, time) && !touches.isIdle(id, record, time)
        ? record
        : undefined
    },
    async replace(id, session, seen) {
      for (;;) {
        const record = await sessions.load(id)
        if (!record?.latchkey) return false
        if (seen && !sameTokens(record.latchkey, seen)) return sameTokens(record.latchkey, session)
        const changed = stamp({ ...record, latchkey: session }, settings, now())
        const outcome = await storeAnswer(replaceRecord(store, id, changed, record))
        if (outcome !== 'changed') return outcome === 'replaced'
      }
    },
    async destroy(id, session) {
      await storeAnswer(call((done) => store.destroy(id, done)))
      if (session) await storeAnswer(store.index?.remove(indexKeys(session), id))
    },
  }
  return sessions
}

const NOTHING: Opened = {}

/** Prolongs a session. When that fails it is served as it was read, and the next request tries again. */
function touch(
  store: SessionStore,
  id: string,
  record: SessionRecord,
  settings: SessionSettings,
  now: number,
): void {
  try {
    store.touch?.(id, stamp(record, settings, now), () => {})
  } catch {}
}

/** Writes the record of a session anew, as it is stored now. */
function renew(store: SessionStore, id: string, settings: SessionSettings, now: number): void {
  read(store, id)
    .then((record) => record && call((done) => store.set(id, stamp(record, settings, now), done)))
    .catch(() => {})
}

function sameTokens(one: AuthSession, other: AuthSession): boolean {
  return (
    one.tokens?.refreshToken === other.tokens?.refreshToken &&
    one.tokens?.accessToken === other.tokens?.accessToken
  )
}
