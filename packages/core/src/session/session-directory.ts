import { hash } from 'node:crypto'
import { type Publish, userHash } from '../log/events.ts'
import { endForGood, findSessions, type SessionOwner } from './end-sessions.ts'
import type { AuthSession } from './session.ts'
import type { SessionsById } from './sessions-by-id.ts'

/** A session as its user may see it. Times are in seconds since the epoch. */
export interface SessionInfo {
  /** An id for {@link SessionDirectory.revoke}. It is not the secret id in the cookie. */
  readonly id: string
  readonly issuer: string
  readonly createdAt: number
  readonly expiresAt: number
  /** When the user last authenticated at the provider, if the provider says so. */
  readonly authTime: number | undefined
  /** The authentication context of the login (`acr`, OIDC Core 1.0 §2). */
  readonly acr: string | undefined
  /** The authentication methods of the login, such as `pwd` and `otp` (`amr`, RFC 8176). */
  readonly amr: readonly string[] | undefined
  /** The other person who acts for the user, such as a support operator (`act`, RFC 8693 §4.1). */
  readonly act?: { readonly sub: string } | undefined
  /**
   * The browser and system of the login, such as `Firefox on macOS`. Set only if the store has an
   * index.
   */
  readonly device?: string | undefined
  /**
   * The time of the last use, rounded down to the hour. Set only in results of
   * {@link SessionDirectory.list}.
   */
  readonly lastSeenAt?: number | undefined
  /** Set if the session was adopted from another login kit. */
  readonly adopted?: true | undefined
}

/**
 * The name of a user: `sub` at the application's issuer, or `sub` and issuer if the application has
 * several issuers.
 */
export type UserName = string | { readonly issuer: string; readonly sub: string }

/**
 * The sessions of users on every device. The methods reject with a {@link ConfigError} if the store
 * has no index.
 */
export interface SessionDirectory {
  /** Lists the user's sessions, the oldest first. */
  list(user: UserName): Promise<SessionInfo[]>
  /**
   * Revokes one session by its public `id`. Resolves to `false` if the user has no such session.
   */
  revoke(user: UserName, id: string): Promise<boolean>
  /**
   * Revokes every session of the user except the session with the public id `except`. Resolves to
   * the number of revoked sessions.
   */
  revokeAll(user: UserName, options?: { readonly except?: string | undefined }): Promise<number>
}

/**
 * The precision of `lastSeenAt` in seconds: enough to recognize a device, without recording the
 * user's activity.
 */
const HOUR = 3600

/**
 * The public id of a session: the start of a hash of its secret id.
 *
 * @param digest - The SHA-256 of the id as base64url, if the caller knows it already.
 */
export function publicSessionId(
  id: string,
  digest: string = hash('sha256', id, 'base64url'),
): string {
  return digest.slice(0, 22)
}

/**
 * Makes the {@link SessionDirectory} of an instance.
 *
 * @param issuerOf - Returns the issuer as the provider names itself, for users that are named by
 *   `sub` only.
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

/** Describes a session for its user, without tokens and without the secret id. */
export function describeSession(id: string, session: AuthSession): SessionInfo {
  const { issuer, createdAt, expiresAt, authTime, acr, amr, device, adopted, act } = session
  return {
    ...{ id: publicSessionId(id), issuer, createdAt, expiresAt, authTime, acr, amr },
    ...(device && { device }),
    ...(adopted && { adopted }),
    ...(act && { act }),
  }
}
