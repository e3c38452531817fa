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
  /**
   * Stores a record. One that was read under another id is a new record. A store that can tell calls
   * back with an error when the session of this id has ended: a write that was dropped is never
   * reported as a success. Its code is `LATCHKEY_SESSION_ENDED`.
   */
  set(id: string, record: SessionRecord, callback?: (error?: unknown) => void): void
  destroy(id: string, callback?: (error?: unknown) => void): void
  /** Prolongs a session to `record.cookie.expires` without changing what it holds. */
  touch?(id: string, record: SessionRecord, callback?: (error?: unknown) => void): void
  /** How often at most a session in use is touched. Default 60. */
  readonly touchSeconds?: number
  /** Finds sessions by user or provider session; back-channel logout and session lists need it. */
  readonly index?: SessionIndex
  /**
   * Remembers that something has happened; across processes when the store is shared. It is not
   * called `once`: stores are event emitters.
   */
  readonly claim?: OnceMemory
  /** Whether a key is claimed, without claiming it: for work that counts as done only at its end. */
  isClaimed?(key: string): Promise<boolean>
  /** Lets one process at a time do something; across processes when the store is shared. */
  readonly lock?: SessionLock
  /**
   * Writes a record over the one that was `seen`, as `get` gave it: a late write neither brings back a
   * session that ended nor undoes what another wrote. Without `seen`, over any that is there.
   */
  replace?(id: string, record: SessionRecord, seen?: SessionRecord): Promise<ReplaceOutcome>
  /** Gives the store the session secrets, to seal with; called before anything else, if at all. */
  useSecrets?(secrets: readonly string[]): void
  /** How it stands with whatever keeps the sessions, without asking it. */
  health?(): StoreCondition
}

/** How a write over what was seen ended: `changed` and `ended` have written nothing. */
export type ReplaceOutcome = 'replaced' | 'changed' | 'ended'

/** Whether sessions can be read and written, as far as the store knows. */
export interface StoreCondition {
  readonly status: 'unknown' | 'ok' | 'refusing-writes' | 'unavailable'
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
