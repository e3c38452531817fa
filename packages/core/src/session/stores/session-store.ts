import type { MaybePromise } from '../../shared/maybe-promise.ts'
import type { AuthSession } from '../session.ts'

/** A stored session. Plain JSON, except for `version`. */
export interface SessionRecord {
  /** The login. Only the kit reads and writes it. Absent while no user is logged in. */
  readonly login?: AuthSession | undefined
  /** The application's own data. */
  readonly data: Readonly<Record<string, unknown>>
  /**
   * The time at which the session expires unless it is touched: seconds since the epoch, possibly
   * with a fraction.
   */
  readonly expiresAt: number
  /**
   * A mark of the store for this version of the record. `get` sets it and `update` compares it; the
   * kit does not use it.
   */
  readonly version?: unknown
}

/**
 * Stores sessions. Each method returns a value or a promise. It must throw or reject if the store
 * cannot be reached, because the kit takes `undefined` for a session that has ended.
 *
 * The members after `destroy` are optional. Features that need a missing member are off, or work
 * only within one process.
 */
export interface SessionStore {
  /** Reads a session; `undefined` if no session has this id, or the session has expired. */
  get(id: string): MaybePromise<SessionRecord | undefined>
  /**
   * Stores a session under an id.
   *
   * @throws {@link SessionEndedError} if the session with this id was destroyed a short time ago,
   *   so that a late write does not restore it. A store that cannot know this writes.
   */
  set(id: string, record: SessionRecord): MaybePromise<void>
  /**
   * Replaces the record if it is still the one that `get` returned (compare-and-set). So a late
   * write neither restores an ended session nor overwrites a change of another request.
   */
  update(id: string, record: SessionRecord, seen: SessionRecord): MaybePromise<UpdateOutcome>
  /**
   * Changes only the expiry of the session. It does nothing if the session has ended, and may do
   * nothing if the record has changed since it was `seen`.
   */
  touch(id: string, seen: SessionRecord, expiresAt: number): MaybePromise<void>
  /** Deletes a session. Succeeds also if there is no session with this id. */
  destroy(id: string): MaybePromise<void>
  /**
   * Finds sessions by user and by the provider's session. Needed for back-channel logout and lists
   * of sessions.
   */
  readonly index?: SessionIndex
  /** Makes logins and logout tokens single use across processes. */
  readonly once?: ReplayCache
  /**
   * Lets only one process at a time refresh the tokens of a session. Without it, a renewal of the
   * session does not wait for a refresh in another process, so the new session may keep a refresh
   * token that is used up.
   */
  readonly lock?: SessionLock
  /**
   * Whether the store is in the memory of this process, so that its sessions end with the process.
   * Default `false`.
   */
  readonly isInProcess?: boolean
  /**
   * Seconds between two calls of `touch` for a session in use, but at most a quarter of its idle
   * time. Default 60.
   */
  readonly touchSeconds?: number
  /** Receives the session secrets, for a store that encrypts. Called before any other method. */
  useSecrets?(secrets: readonly string[]): void
  /** The state of the store by its latest commands. Makes no network call. */
  health?(): StoreHealth
}

/**
 * The result of an update: `changed` if another request changed the record before, and `ended` if
 * the session no longer exists. Nothing was written then.
 */
export type UpdateOutcome = 'updated' | 'changed' | 'ended'

/** Whether sessions can be read and written, as far as the store knows. */
export interface StoreHealth {
  /** `refusing-writes`: sessions can be read, but not stored or changed. */
  readonly status: 'unknown' | 'ok' | 'refusing-writes' | 'unavailable'
  /** The message of the latest failure. */
  readonly reason?: string | undefined
}

/** Sets of session ids by key. */
export interface SessionIndex {
  /** Adds an id to the set of each key, and keeps it there for at least `seconds`. */
  add(keys: readonly string[], id: string, seconds: number): MaybePromise<void>
  /** The ids in the set of a key. Some of the sessions may have ended. */
  find(key: string): MaybePromise<readonly string[]>
  /** Removes an id from the set of each key. */
  remove(keys: readonly string[], id: string): MaybePromise<void>
  /**
   * Does three things in one round trip: stores a session as `set` does, adds its id as `add` does,
   * and then reads other records as `get` does. Optional: without it, the kit calls the three
   * methods.
   *
   * @param read - The ids of the other records. They are read once the session is stored and found.
   * @returns The other records, in the order of `read`.
   * @throws {@link SessionEndedError} as `set` does; nothing has been written then.
   */
  begin?(
    id: string,
    record: SessionRecord,
    entry: { readonly keys: readonly string[]; readonly seconds: number },
    read: readonly string[],
  ): MaybePromise<readonly (SessionRecord | undefined)[]>
  /**
   * Does three things in one round trip: ends a session as `destroy` does, removes its id as
   * `remove` does, and then reads the first key as `find` does. Optional: without it, the kit calls
   * the three methods.
   *
   * @returns The ids that are left in the set of the first key.
   */
  end?(id: string, keys: readonly [string, ...string[]]): MaybePromise<readonly string[]>
}

/** A replay cache: accepts each key once. */
export interface ReplayCache {
  /**
   * Marks a key as used for `seconds`. Returns `true` to the first caller, and `false` to every
   * other one in this time.
   */
  consume(key: string, seconds: number): MaybePromise<boolean>
  /** Whether a key is marked as used. */
  isConsumed(key: string): MaybePromise<boolean>
}

/** A lock by name, across processes. */
export interface SessionLock {
  /**
   * Takes the lock for at most `seconds`. Returns a function that releases it, or `undefined` if
   * another caller holds it.
   */
  acquire(key: string, seconds: number): MaybePromise<(() => MaybePromise<void>) | undefined>
}
