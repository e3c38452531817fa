import { randomBytes } from 'node:crypto'
import type { CookieScope } from './cookies.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { SessionStoreError } from './errors.ts'
import type { AuthSession, SessionHandle } from './session.ts'
import { createCookieSigner } from './session-cookie.ts'
import type { ReplaceOutcome, SessionRecord, SessionStore } from './session-store.ts'
import { storeAnswer } from './store-answer.ts'

/** What sessions need of the options, every default filled in. */
export interface SessionSettings {
  readonly secrets: readonly string[]
  readonly cookieName: string
  readonly cookie: CookieScope
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  readonly touchSeconds: number
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
  /**
   * Stores what the application keeps beside the login, under the same id. Ignored when the session
   * has ended meanwhile, unless it is new: a late write never brings a session back.
   */
  saveData(id: string, record: SessionRecord): Promise<void>
}

/** Sessions behind a signed cookie, over any store of express-session's kind. */
export interface StoredSessions {
  readonly settings: SessionSettings
  readonly store: SessionStore
  /** The secrets that sign the cookie; express-session signs and reads the same way with them. */
  readonly cookieSecrets: readonly string[]
  /** The value of the cookie that carries a session id. */
  signCookie(id: string): string
  /** Opens the session of a `Cookie` header: at most one look-up, none without a genuine cookie. */
  open(cookieHeader: string | null | undefined): StoredSession | Promise<StoredSession>
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

/** The index keys under which a session can be found. */
export function indexKeys(session: AuthSession): string[] {
  const keys = [indexKey(session.issuer, 'sub', session.sub)]
  if (session.sid) keys.push(indexKey(session.issuer, 'sid', session.sid))
  return keys
}

/** One index key: everything of this issuer with this `sub` or `sid`. */
export function indexKey(issuer: string, kind: 'sub' | 'sid', value: string): string {
  return JSON.stringify([kind, issuer, value])
}

/**
 * Makes sessions over a store.
 *
 * @param now - The time in whole seconds.
 */
export function createStoredSessions(
  store: SessionStore,
  settings: SessionSettings,
  now: () => number,
): StoredSessions {
  const signer = createCookieSigner(settings.secrets)
  store.useSecrets?.(settings.secrets)
  const touched = createTouchMemory(settings.touchSeconds)

  const sessions: StoredSessions = {
    settings,
    store,
    cookieSecrets: signer.secrets,
    signCookie: (id) => signer.sign(id),
    open(cookieHeader) {
      const id = signer.verify(readCookie(cookieHeader, settings.cookieName))
      if (!id) return handle(sessions, now, { id: undefined, record: undefined })
      const found = (record: SessionRecord | undefined): StoredSession => {
        const live = record && isLive(record, now()) ? record : undefined
        if (live && touched.due(id, now())) prolong(store, id, live, settings, now())
        return handle(sessions, now, { id: live ? id : undefined, record: live })
      }
      const failed = (cause: unknown): StoredSession =>
        handle(sessions, now, {
          id: undefined,
          record: undefined,
          failure: new SessionStoreError(cause),
        })
      // A store that answers at once costs no turn of the event loop.
      let opened: StoredSession | undefined
      let later: ((session: StoredSession) => void) | undefined
      const settle = (session: StoredSession): void => {
        opened = session
        later?.(session)
      }
      try {
        store.get(id, (error, record) => {
          settle(isFailure(error) ? failed(error) : found(record ?? undefined))
        })
      } catch (cause) {
        return failed(cause)
      }
      return (
        opened ??
        new Promise((resolve) => {
          later = resolve
        })
      )
    },
    newId: () => randomBytes(32).toString('base64url'),
    async load(id) {
      const record = await storeAnswer(read(store, id))
      return record && isLive(record, now()) ? record : undefined
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

interface HandleState {
  id: string | undefined
  record: SessionRecord | undefined
  /** Whether this request has written since `record` was read. */
  isWritten?: boolean
  failure?: SessionStoreError
}

function handle(sessions: StoredSessions, now: () => number, state: HandleState): StoredSession {
  const { settings, store } = sessions
  const setCookies: string[] = []
  const openedId = state.id
  const readable = (): void => {
    if (state.failure) throw state.failure
  }
  return {
    setCookies,
    get id() {
      return state.id
    },
    get record() {
      return state.record
    },
    get current() {
      return state.record?.latchkey
    },
    get failure() {
      return state.failure
    },
    async read() {
      readable()
      return state.record?.latchkey
    },
    async reload() {
      readable()
      if (!state.id) return undefined
      state.record = await sessions.load(state.id)
      state.isWritten = false
      return state.record?.latchkey
    },
    async start(session) {
      readable()
      const previous = state.record
      const previousId = state.id
      const id = sessions.newId()
      const record = stamp(
        { ...carriedData(previous, session, settings), latchkey: session } as SessionRecord,
        settings,
        now(),
      )
      // In this order: a session that exists can always be found, and so be ended.
      await storeAnswer(store.index?.add(indexKeys(session), id, settings.absoluteSeconds))
      await storeAnswer(call((done) => store.set(id, record, done)))
      if (previousId) await sessions.destroy(previousId, previous?.latchkey)
      state.id = id
      state.record = record
      state.isWritten = true
      const value = sessions.signCookie(id)
      const scope = { ...settings.cookie, maxAgeSeconds: settings.absoluteSeconds }
      setCookies.splice(0, setCookies.length, setCookie(settings.cookieName, value, scope))
    },
    async update(session) {
      readable()
      if (!state.id || !state.record) return false
      if (!(await sessions.replace(state.id, session, state.record.latchkey))) return false
      state.record = { ...state.record, latchkey: session }
      state.isWritten = true
      return true
    },
    async end() {
      // A session that could not be ended keeps its cookie, so that it can be ended again.
      readable()
      if (state.id) await sessions.destroy(state.id, state.record?.latchkey)
      setCookies.splice(0, setCookies.length, clearCookie(settings.cookieName, settings.cookie))
      state.id = undefined
      state.record = undefined
    },
    async saveData(id, data) {
      if (id !== state.id) {
        // The session that this request came with has ended in it.
        if (id === openedId) return
        const record = stamp({ ...data }, settings, now())
        return storeAnswer(call((done) => store.set(id, record, done)))
      }
      // What was read when the request came in is usually still there; the store knows.
      let stored = store.replace && !state.isWritten ? state.record : await sessions.load(id)
      while (stored) {
        const record = { ...data } as SessionRecord
        if (stored.latchkey) record.latchkey = stored.latchkey
        const stamped = stamp(record, settings, now())
        if ((await storeAnswer(replaceRecord(store, id, stamped, stored))) !== 'changed') return
        stored = await sessions.load(id)
      }
    },
  }
}

/** What the application's part of the old session becomes when `session` begins. */
function carriedData(
  previous: SessionRecord | undefined,
  session: AuthSession,
  settings: SessionSettings,
): Record<string, unknown> {
  if (!previous) return {}
  const { cookie: _cookie, latchkey, ...data } = previous
  if (latchkey) {
    return latchkey.issuer === session.issuer && latchkey.sub === session.sub ? data : {}
  }
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => settings.keepAnonymousData.includes(name)),
  )
}

/** Writes the cookie half: stores take the time to live from it. */
function stamp(record: SessionRecord, settings: SessionSettings, now: number): SessionRecord {
  const idleEnd = now + settings.idleSeconds
  const end = Math.min(idleEnd, record.latchkey?.expiresAt ?? idleEnd)
  const { path, domain, secure, sameSite } = settings.cookie
  return {
    ...record,
    cookie: {
      originalMaxAge: (end - now) * 1000,
      expires: new Date(end * 1000).toISOString(),
      httpOnly: true,
      path,
      ...(domain ? { domain } : {}),
      secure,
      sameSite,
    },
  }
}

function isLive(record: SessionRecord, now: number): boolean {
  return record.latchkey === undefined || record.latchkey.expiresAt > now
}

function prolong(
  store: SessionStore,
  id: string,
  record: SessionRecord,
  settings: SessionSettings,
  now: number,
): void {
  try {
    store.touch?.(id, stamp(record, settings, now), () => {})
  } catch {
    // The session is served as it was read; the next request tries again.
  }
}

async function replaceRecord(
  store: SessionStore,
  id: string,
  record: SessionRecord,
  seen: SessionRecord,
): Promise<ReplaceOutcome> {
  if (store.replace) return store.replace(id, record, seen)
  await call((done) => store.set(id, record, done))
  return 'replaced'
}

function sameTokens(one: AuthSession, other: AuthSession): boolean {
  return (
    one.tokens?.refreshToken === other.tokens?.refreshToken &&
    one.tokens?.accessToken === other.tokens?.accessToken
  )
}

/** Remembers per process when sessions were last prolonged, so that most requests write nothing. */
function createTouchMemory(seconds: number): { due(id: string, now: number): boolean } {
  const at = new Map<string, number>()
  return {
    due(id, now) {
      const last = at.get(id)
      if (last !== undefined && now - last < seconds) return false
      at.delete(id)
      at.set(id, now)
      if (at.size > 10_000) at.delete(at.keys().next().value as string)
      return true
    },
  }
}

/** As express-session has it: a store of files may say ENOENT for a session that is not there. */
function isFailure(error: unknown): boolean {
  return Boolean(error) && (error as { code?: string }).code !== 'ENOENT'
}

function read(store: SessionStore, id: string): Promise<SessionRecord | undefined> {
  return new Promise((resolve, reject) => {
    store.get(id, (error, record) => {
      if (isFailure(error)) reject(error)
      else resolve(record ?? undefined)
    })
  })
}

function call(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => (error ? reject(error) : resolve()))
  })
}
