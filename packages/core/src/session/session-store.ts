import type { MaybePromise } from '../shared/maybe-promise.ts'
import type { AuthSession } from './session.ts'

/** A stored session: plain JSON, except for its version. */
export interface SessionRecord {
  /** The login, which only the kit reads and writes. Absent while no user is logged in. */
  readonly login?: AuthSession | undefined
  /** The application's own data. */
  readonly data: Readonly<Record<string, unknown>>
  /** The time at which the session expires unless it is touched, in seconds since the epoch, with a fraction or without. */
  readonly expiresAt: number
  /** The store's own mark of this state. `get` sets it, `update` compares it, and nothing else uses it. */
  readonly version?: unknown
}

/**
 * Where sessions live. A method answers with a value or a promise; it throws or rejects when the
 * store cannot be reached, and then nothing is known about the session.
 *
 * The members after `destroy` are optional abilities. Features that need a missing ability are off,
 * or work only within this process.
 */
export interface SessionStore {
  /** The session of an id; `undefined` when there is none, or it has expired. */
  get(id: string): MaybePromise<SessionRecord | undefined>
  /**
   * Stores a session under an id.
   *
   * @throws {@link SessionEndedError} if the session of this id was destroyed a short while ago, so
   *   that a late write does not restore it. A store that cannot know this writes.
   */
  set(id: string, record: SessionRecord): MaybePromise<void>
  /**
   * Replaces the record that `get` returned (compare-and-set): a late write neither brings back a
   * session that has ended nor undoes what another request has written.
   */
  update(id: string, record: SessionRecord, seen: SessionRecord): MaybePromise<UpdateOutcome>
  /**
   * Makes the session expire later and changes nothing else. It does nothing when the session has
   * ended; it may do nothing when the session is no longer the one that was `seen`.
   */
  touch(id: string, seen: SessionRecord, expiresAt: number): MaybePromise<void>
  /** Ends a session. Ending a session that is gone is a success. */
  destroy(id: string): MaybePromise<void>
  /** Finds sessions by user or by the provider's session: for back-channel logout and lists of sessions. */
  readonly index?: SessionIndex
  /** Accepts a key once: for logins and logout tokens. */
  readonly once?: ReplayCache
  /** Lets one process at a time refresh a session's tokens. */
  readonly lock?: SessionLock
  /** Whether the store lives in this process, so that it forgets everything when the process ends. */
  readonly isInProcess?: boolean
  /** A session in use is touched at most this often, in seconds. Default 60. */
  readonly touchSeconds?: number
  /** Hands over the session secrets, for a store that seals; called before any other method. */
  useSecrets?(secrets: readonly string[]): void
  /** The state of the store as its latest commands saw it, without a network call. */
  health?(): StoreHealth
}

/** How an update ended. After `changed` and `ended` nothing has been written. */
export type UpdateOutcome = 'updated' | 'changed' | 'ended'

/** Whether sessions can be read and written, as far as the store knows. */
export interface StoreHealth {
  /** `refusing-writes`: sessions can be read but not begun or changed. */
  readonly status: 'unknown' | 'ok' | 'refusing-writes' | 'unavailable'
  /** The latest failure. */
  readonly reason?: string | undefined
}

/** Sets of session ids under keys. */
export interface SessionIndex {
  /** Adds an id to the set of each key, for at least `seconds`. */
  add(keys: readonly string[], id: string, seconds: number): MaybePromise<void>
  /** The ids of a key's set; some of the sessions may have ended. */
  find(key: string): MaybePromise<readonly string[]>
  /** Takes an id out of the set of each key. */
  remove(keys: readonly string[], id: string): MaybePromise<void>
  /**
   * Stores a session with `set`, adds its id with `add`, and then gets other records, in one round trip.
   * Optional: without it, the kit calls the three methods.
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
   * Ends a session with `destroy`, takes its id out with `remove`, and then calls `find` for the first
   * key, in one round trip. Optional: without it, the kit calls the three methods.
   *
   * @returns The ids that are left in the set of the first key.
   */
  end?(id: string, keys: readonly [string, ...string[]]): MaybePromise<readonly string[]>
}

/** A replay cache: every key is accepted once. */
export interface ReplayCache {
  /** Uses a key up: `true` for the first caller within `seconds`, and `false` for every other. */
  consume(key: string, seconds: number): MaybePromise<boolean>
  /** Whether a key is used up. */
  isConsumed(key: string): MaybePromise<boolean>
}

/** Mutual exclusion by name. */
export interface SessionLock {
  /** The release of the lock, which is held for at most `seconds`; `undefined` when another holds it. */
  acquire(key: string, seconds: number): MaybePromise<(() => MaybePromise<void>) | undefined>
}
