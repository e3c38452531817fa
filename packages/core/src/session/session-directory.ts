import { createHash } from 'node:crypto'
import { ConfigError } from '../errors.ts'
import { type Publish, userHash } from '../events.ts'
import type { AuthSession } from './session.ts'
import { indexKey } from './session-record.ts'
import type { SessionsById } from './sessions-by-id.ts'
import { storeAnswer } from './store-answer.ts'

/** A session as it may be shown to its user. */
export interface SessionInfo {
  /** Names the session in {@link SessionDirectory.revoke}; it opens nothing. */
  readonly id: string
  readonly issuer: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly authTime: number | undefined
  /** How strong the login was, in the provider's own words. */
  readonly acr: string | undefined
  /** By which factors the user logged in, such as `pwd` and `otp` (RFC 8176). */
  readonly amr: readonly string[] | undefined
}

/** Whose sessions are meant: a `sub` of the application's one issuer, or of the issuer named. */
export type UserName = string | { readonly issuer: string; readonly sub: string }

/** The sessions of users, on every device. Needs a store with an index. */
export interface SessionDirectory {
  /** The user's sessions, the oldest first. */
  list(user: UserName): Promise<SessionInfo[]>
  /** Ends one session of a list. Resolves to whether there was one. */
  revoke(user: UserName, id: string): Promise<boolean>
  /** Ends every session of the user, but for `except`. Resolves to how many. */
  revokeAll(user: UserName, options?: { readonly except?: string | undefined }): Promise<number>
}

/** The name of a session outside: a hash of its id. */
export function publicSessionId(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 22)
}

/**
 * Makes the directory.
 *
 * @param issuerOf - The provider's own name, for users named by `sub` alone.
 */
export function createSessionDirectory(
  sessions: SessionsById,
  issuerOf: () => Promise<string>,
  publish: Publish,
): SessionDirectory {
  const find = async (user: UserName): Promise<FoundSession[]> => {
    const { issuer, sub } =
      typeof user === 'string' ? { issuer: await issuerOf(), sub: user } : user
    return findSessions(sessions, issuer, { sub, sid: undefined })
  }
  const end = async (user: UserName, isMeant: (id: string) => boolean): Promise<number> => {
    const ended = (await find(user)).filter(({ id }) => isMeant(publicSessionId(id)))
    for (let found = ended; found.length > 0; ) {
      for (const { id, session } of found) await sessions.destroy(id, session)
      // A session that was regenerated before it ended goes on under another id.
      const left = await find(user)
      found = left.filter((one) => ended.some(({ session }) => isSameLogin(session, one.session)))
    }
    for (const { session } of ended) {
      const { issuer, sub } = session
      publish('session.revoked', { issuer, user: userHash(issuer, sub) })
    }
    return ended.length
  }
  return {
    async list(user) {
      const found = await find(user)
      return found
        .map(({ id, session }) => describeSession(id, session))
        .sort((a, b) => a.createdAt - b.createdAt)
    },
    revoke: async (user, id) => (await end(user, (one) => one === id)) > 0,
    revokeAll: (user, { except } = {}) => end(user, (one) => one !== except),
  }
}

/** Ends the sessions of a provider's session, or every session of a user. Resolves to how many. */
export async function endSessions(
  sessions: SessionsById,
  { issuer, sub, sid }: { issuer: string; sub: string | undefined; sid: string | undefined },
): Promise<number> {
  const found = await findSessions(sessions, issuer, { sub, sid })
  for (const { id, session } of found) await sessions.destroy(id, session)
  return found.length
}

/** What may be shown of a session. */
export function describeSession(id: string, session: AuthSession): SessionInfo {
  const { issuer, createdAt, expiresAt, authTime, acr, amr } = session
  return { id: publicSessionId(id), issuer, createdAt, expiresAt, authTime, acr, amr }
}

function isSameLogin(one: AuthSession, other: AuthSession): boolean {
  return one.createdAt === other.createdAt && one.idToken === other.idToken
}

interface FoundSession {
  readonly id: string
  readonly session: AuthSession
}

async function findSessions(
  sessions: SessionsById,
  issuer: string,
  { sub, sid }: { sub: string | undefined; sid: string | undefined },
): Promise<FoundSession[]> {
  const { index } = sessions.store
  if (!index) {
    const remedy =
      'this store cannot find sessions by user; use createSessionStore() of @latchkey/session-store'
    throw new ConfigError([{ option: 'session.store', remedy }])
  }
  const key = sid === undefined ? indexKey(issuer, 'sub', sub ?? '') : indexKey(issuer, 'sid', sid)
  const found: FoundSession[] = []
  for (const id of await storeAnswer(() => index.find(key))) {
    const session = (await sessions.load(id))?.login
    if (!session || session.issuer !== issuer) continue
    if (sid !== undefined && session.sid !== sid) continue
    if (sub !== undefined && session.sub !== sub) continue
    found.push({ id, session })
  }
  return found
}
