import type { AuthSession } from './session.ts'

/** The cookie half of a stored record, as express-session writes it. */
export interface RecordCookie {
  originalMaxAge: number | null
  /** ISO 8601; stores take their time to live from it. */
  expires: string | Date | null
  httpOnly?: boolean
  path?: string
  domain?: string
  secure?: boolean
  sameSite?: string | boolean
}

/** One stored session: what express-session keeps, and the part of the kit under `latchkey`. */
export interface SessionRecord {
  cookie: RecordCookie
  latchkey?: AuthSession
  [key: string]: unknown
}

/**
 * Where sessions live: the interface of express-session's stores, so that any of them fits.
 *
 * The members after `touch` are abilities a store may have beyond that; what needs them says so when
 * they are missing.
 */
export interface SessionStore {
  get(id: string, callback: (error?: unknown, record?: SessionRecord | null) => void): void
  set(id: string, record: SessionRecord, callback?: (error?: unknown) => void): void
  destroy(id: string, callback?: (error?: unknown) => void): void
  /** Prolongs a session to `record.cookie.expires` without changing what it holds. */
  touch?(id: string, record: SessionRecord, callback?: (error?: unknown) => void): void
  /** Finds sessions by user or provider session; back-channel logout and session lists need it. */
  readonly index?: SessionIndex
  /**
   * Remembers that something has happened; across processes when the store is shared. It is not
   * called `once`: stores are event emitters.
   */
  readonly claim?: OnceMemory
  /** Lets one process at a time do something; across processes when the store is shared. */
  readonly lock?: SessionLock
  /** Writes a record only if one is there: a late write never brings back a session that ended. */
  replace?(id: string, record: SessionRecord): Promise<boolean>
}

/** Sets of session ids under keys. */
export interface SessionIndex {
  /** Adds an id to each key's set, kept for at least `seconds`. */
  add(keys: readonly string[], id: string, seconds: number): Promise<void>
  /** The ids of a key's set; some may have ended already. */
  find(key: string): Promise<string[]>
  /** Takes an id out of each key's set. */
  remove(keys: readonly string[], id: string): Promise<void>
}

/** Resolves to `true` for the first caller with a key within `seconds`, `false` for the others. */
export type OnceMemory = (key: string, seconds: number) => Promise<boolean>

/** Mutual exclusion by name. */
export interface SessionLock {
  /** Resolves to the release of the lock, or to `undefined` when another holds it. */
  acquire(key: string, seconds: number): Promise<(() => Promise<void>) | undefined>
}
