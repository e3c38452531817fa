import { ConfigError, SessionStoreError } from '../errors/errors.ts'
import type { AuthSession } from './session.ts'
import { indexKey } from './session-record.ts'
import type { SessionsById } from './sessions-by-id.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** The owner of sessions at an issuer: a session of the provider (`sid`), or a user (`sub`). */
export interface SessionOwner {
  readonly issuer: string
  readonly sub?: string | undefined
  readonly sid?: string | undefined
}

/** A session with its id, which is a secret. */
export interface FoundSession {
  readonly id: string
  readonly session: AuthSession
  /** When the session was last touched, in seconds since the epoch. */
  readonly seenAt: number
}

/** Destroys every session of an owner. Resolves to the number of destroyed sessions. */
export async function endSessions(sessions: SessionsById, owner: SessionOwner): Promise<number> {
  const found = await findSessions(sessions, owner)
  for (const { id, session } of found) await sessions.destroy(id, session)
  return found.length
}

/**
 * Destroys some sessions of an owner. A session that is regenerated meanwhile has a new id, so the
 * owner's sessions are listed again until none of these logins is left.
 *
 * @param meant - The sessions to destroy.
 * @throws {@link SessionStoreError} if the store still has a session after it was destroyed.
 */
export async function endForGood(
  sessions: SessionsById,
  owner: SessionOwner,
  meant: readonly Pick<FoundSession, 'id' | 'session'>[],
): Promise<void> {
  const destroyed = new Set<string>()
  const key = keyOf(owner)
  for (let found = meant; found.length > 0; ) {
    let ids: readonly string[] | undefined
    for (const { id, session } of found) {
      if (destroyed.has(id)) throw new SessionStoreError(undefined, NOT_DESTROYED)
      ids = await sessions.destroy(id, session, key)
      destroyed.add(id)
    }
    const left = await findSessions(sessions, owner, ids)
    found = left.filter((one) => meant.some(({ session }) => isSameLogin(session, one.session)))
  }
}

const NO_INDEX = 'this store cannot find sessions by user'
const NOT_DESTROYED =
  'The session store still has a session after destroy(). Run the cases of @latchkey/testing/session-store on it.'

/**
 * Whether a stored session has the login of a session that was read before. Its tokens may have been
 * refreshed since, which changes the ID token. So two logins of a user in the same second count as
 * one if the provider names no `sid` and the tokens were refreshed. A visitor has no login.
 */
export function isSameLogin(
  read: AuthSession | undefined,
  stored: AuthSession | undefined,
): boolean {
  if (!read || !stored) return false
  if (read.createdAt !== stored.createdAt || read.sid !== stored.sid) return false
  const isRefreshed = stored.tokens?.accessTokenReceivedAt !== stored.createdAt
  return stored.sid !== undefined || isRefreshed || read.idToken === stored.idToken
}

function keyOf({ issuer, sub, sid }: SessionOwner): string {
  return sid === undefined ? indexKey(issuer, 'sub', sub ?? '') : indexKey(issuer, 'sid', sid)
}

/**
 * Finds the sessions of an owner that still exist.
 *
 * @param ids - The ids under the owner's index key, if the caller has just read them. Default: read
 *   from the index.
 * @throws {@link ConfigError} for a store without an index.
 */
export async function findSessions(
  sessions: SessionsById,
  owner: SessionOwner,
  ids?: readonly string[],
): Promise<FoundSession[]> {
  const { issuer, sub, sid } = owner
  const { index } = sessions.store
  if (!index) {
    const which = sessions.inCookie ? 'sessions in cookies cannot be listed or revoked' : NO_INDEX
    const remedy = `${which}; use createSessionStore() of @latchkey/session-store`
    throw new ConfigError([{ option: 'session.store', remedy }])
  }
  const found: FoundSession[] = []
  for (const id of ids ?? (await storeAnswer(() => index.find(keyOf(owner))))) {
    const record = await sessions.load(id)
    const session = record?.login
    if (!session || session.issuer !== issuer) continue
    if (sid !== undefined && session.sid !== sid) continue
    if (sub !== undefined && session.sub !== sub) continue
    const touchedAt = Math.floor(record.expiresAt) - sessions.settings.idleSeconds
    // Near its absolute expiry, a session expires early, so `touchedAt` may lie before the login.
    found.push({ id, session, seenAt: Math.max(touchedAt, session.createdAt) })
  }
  return found
}
