import { isThenable, type MaybePromise, when, whenAll } from '../shared/maybe-promise.ts'
import type { EndedLogins } from './ended-logins.ts'
import type { RefreshLock } from './refresh-lock.ts'
import type { AuthSession } from './session.ts'
import type { CookieChange } from './session-cookie.ts'
import { expiryOf, hasExpired, indexKeys, type SessionSettings } from './session-record.ts'
import type { SessionRecord, SessionStore } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** The parts from which {@link createSessionsById} makes its operations. */
export interface SessionParts {
  readonly settings: SessionSettings
  readonly store: SessionStore
  /** The time in whole seconds. */
  now(): number
  /** The logout tokens of the last minutes; `undefined` without back-channel logout. */
  readonly endedLogins: EndedLogins | undefined
  readonly refreshLock: RefreshLock
  /** Makes a session id: 256 random bits. */
  newId(): string
  /** The `Set-Cookie` values for a change of the session's cookie. */
  setCookies(change: CookieChange): readonly string[]
  /** Whether sessions are only in cookies, so that other requests cannot find them by id. */
  readonly inCookie?: boolean
  /**
   * Throws if a change can no longer reach the browser; absent for a store on the server, which is
   * always writable.
   */
  mustBeWritable?(): void
  /**
   * Ends the session that another request has renewed, of which this request has the old id; absent
   * for a store on the server.
   */
  endRenewed?(): void
}

/**
 * Sessions by their ids. Every method rejects with a {@link SessionStoreError} when the store
 * fails.
 */
export interface SessionsById extends SessionParts {
  /** Reads a session; `undefined` if it does not exist or has expired. */
  load(id: string): MaybePromise<SessionRecord | undefined>
  /**
   * Stores a new session. If it has a login, adds it to the index of the store.
   *
   * @param read - The ids of other records to read once the session is stored.
   * @returns The other records, in the order of `read`.
   */
  create(
    id: string,
    record: Omit<SessionRecord, 'expiresAt'>,
    read?: readonly string[],
  ): Promise<readonly (SessionRecord | undefined)[]>
  /**
   * Changes a session, and tries again if another request has changed it meanwhile. Resolves to the
   * stored record, or to `undefined` if the session no longer exists.
   *
   * @param change - Returns the new record; `undefined` leaves the session as it is.
   * @param seen - The record as it was read before, which saves a read if it is still the stored
   *   one.
   */
  change(
    id: string,
    change: (stored: SessionRecord) => Omit<SessionRecord, 'expiresAt'> | undefined,
    seen?: SessionRecord,
  ): Promise<SessionRecord | undefined>
  /** The listener `hear` is called with the id of every session that this process destroys. */
  readonly ends: { hear: ((id: string) => void) | undefined }
  /**
   * Destroys a session and removes its id from the index.
   *
   * @param key - The index key whose other sessions are returned. Default: the key of the user.
   * @returns The ids that remain under the key, if the store can tell in the same step; otherwise
   *   `undefined`.
   */
  destroy(
    id: string,
    login: AuthSession | undefined,
    key?: string,
  ): Promise<readonly string[] | undefined>
}

/** Makes {@link SessionsById} from its parts. */
export function createSessionsById(parts: SessionParts): SessionsById {
  const { settings, store, now } = parts
  const ends: SessionsById['ends'] = { hear: undefined }
  const recordOf = ({ login, data }: Omit<SessionRecord, 'expiresAt'>): SessionRecord => ({
    ...(login && { login }),
    data,
    expiresAt: expiryOf(login, settings.idleSeconds, now()),
  })
  const load: SessionsById['load'] = (id) =>
    when(
      storeAnswer(() => store.get(id)),
      (record) => (record && !hasExpired(record, now()) ? record : undefined),
    )
  const destroy: SessionsById['destroy'] = async (id, login, first) => {
    const { index } = store
    const keys = login && indexKeys(login)
    if (keys && index?.end) {
      const [key] = keys
      const others = keys.filter((one) => one !== (first ?? key))
      const left = await storeAnswer(() => index.end?.(id, [first ?? key, ...others]))
      ends.hear?.(id)
      return left
    }
    await storeAnswer(() => store.destroy(id))
    ends.hear?.(id)
    if (keys) await storeAnswer(() => index?.remove(keys, id))
    return undefined
  }

  return {
    ...parts,
    ends,
    load,
    destroy,
    async create(id, { login, data }, read = []) {
      const { index } = store
      const record = recordOf({ login, data })
      const entry = login && { keys: indexKeys(login), seconds: settings.absoluteSeconds }
      try {
        if (entry && index?.begin) {
          return (await storeAnswer(() => index.begin?.(id, record, entry, read))) ?? []
        }
        // In parallel, because no browser knows the id before both are done.
        const indexed = entry && storeAnswer(() => index?.add(entry.keys, id, entry.seconds))
        await whenAll([indexed, storeAnswer(() => store.set(id, record))])
        return await whenAll(read.map((other) => storeAnswer(() => store.get(other))))
      } catch (error) {
        await destroy(id, undefined).catch(() => {})
        throw error
      }
    },
    async change(id, change, seen) {
      const found = seen ?? load(id)
      // A session in the cookie is changed while the headers are sent, so this must not wait for it.
      const first = isThenable(found) ? await found : found
      for (let stored = first; stored; stored = await load(id)) {
        const seenNow = stored
        const changed = change(stored)
        if (!changed) return stored
        const record = recordOf(changed)
        const outcome = await storeAnswer(() => store.update(id, record, seenNow))
        if (outcome === 'updated') return record
        if (outcome === 'ended') return undefined
      }
      return undefined
    },
  }
}
