import { hash } from 'node:crypto'
import { type Publish, userHash } from '../log/events.ts'
import { endForGood, findSessions, type SessionOwner } from './end-sessions.ts'
import type { AuthSession } from './session.ts'
import type { SessionsById } from './sessions-by-id.ts'

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
  /** The factors of the login, such as `pwd` and `otp` (RFC 8176). */
  readonly amr: readonly string[] | undefined
  /** The person who acts for the user, by the name that the provider has for them (`act`, RFC 8693 §4.1). */
  readonly act?: { readonly sub: string } | undefined
  /** The browser and system that logged in, such as `Firefox on macOS`, where the store has an index. */
  readonly device?: string | undefined
  /** The time of its last use, to the hour, in seconds since the epoch. In lists alone. */
  readonly lastSeenAt?: number | undefined
  /** Whether it was adopted from another kit. */
  readonly adopted?: true | undefined
}

/** The user whose sessions are meant: a `sub` of the application's one issuer, or of the issuer named. */
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

/**
 * The precision of times in the list of sessions: enough to recognize a device, without recording
 * the user's activity.
 */
const HOUR = 3600

/**
 * The name of a session outside: the beginning of a hash of its id.
 *
 * @param digest - The SHA-256 of the id, where it is known.
 */
export function publicSessionId(
  id: string,
  digest: string = hash('sha256', id, 'base64url'),
): string {
  return digest.slice(0, 22)
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
  const ownerOf = async (user: UserName): Promise<SessionOwner> =>
    typeof user === 'string'
      ? { issuer: await issuerOf(), sub: user }
      : { issuer: user.issuer, sub: user.sub }
  const end = async (user: UserName, isMeant: (id: string) => boolean): Promise<number> => {
    const owner = await ownerOf(user)
    const found = await findSessions(sessions, owner)
    const ended = found.filter(({ id }) => isMeant(publicSessionId(id)))
    await endForGood(sessions, owner, ended)
    for (const { session } of ended) {
      const { issuer, sub } = session
      publish('session.revoked', { issuer, user: userHash(issuer, sub) })
    }
    return ended.length
  }
  return {
    async list(user) {
      const found = await findSessions(sessions, await ownerOf(user))
      return found
        .map(({ id, session, seenAt }) => ({
          ...describeSession(id, session),
          lastSeenAt: seenAt - (seenAt % HOUR),
        }))
        .sort((a, b) => a.createdAt - b.createdAt)
    },
    revoke: async (user, id) => (await end(user, (one) => one === id)) > 0,
    revokeAll: (user, { except } = {}) => end(user, (one) => one !== except),
  }
}

/** The facts about a session that may be shown. */
export function describeSession(id: string, session: AuthSession): SessionInfo {
  const { issuer, createdAt, expiresAt, authTime, acr, amr, device, adopted, act } = session
  return {
    ...{ id: publicSessionId(id), issuer, createdAt, expiresAt, authTime, acr, amr },
    ...(device && { device }),
    ...(adopted && { adopted }),
    ...(act && { act }),
  }
}
