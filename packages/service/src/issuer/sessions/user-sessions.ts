import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { isLoginValid } from '../../domain/ways/valid-logins.ts'
import type { ProtocolEntry } from '../../store/protocol-store.ts'
import type { User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import type { Session } from '../engine/session.ts'
import { endSession, removeSession, revokeGrant } from './end-session.ts'

/** A session of a user, as it is stored. */
export interface UserSession {
  entry: ProtocolEntry
  uid: string
  /** The time at which the user logged in, in seconds since the epoch. */
  loginTs: number
  /**
   * The time at which the user's other sessions were last revoked from this session, which
   * survived.
   */
  keptAt: number | undefined
  userAgent: string | undefined
  /** The IP address of the client that logged in. */
  address: string | undefined
  authorizations: NonNullable<Session['authorizations']>
}

/** The valid sessions of the user, the newest first. */
export async function sessionsOf(
  { protocol }: Pick<IssuerContext, 'protocol'>,
  user: User,
): Promise<UserSession[]> {
  const entries = await protocol.listByAccount(user.tenantId, 'Session', user.id)
  return (
    entries
      // Sessions of operators are not the user's; the account page lists them separately.
      .filter(({ payload }) => !(JSON.parse(payload) as { acting?: unknown }).acting)
      .map((entry): UserSession => {
        const stored = JSON.parse(entry.payload) as Partial<UserSession>
        const { loginTs = 0, keptAt, userAgent, address, authorizations = {} } = stored
        return { entry, uid: entry.uid ?? '', loginTs, keptAt, userAgent, address, authorizations }
      })
      .filter(({ loginTs, keptAt }) => isLoginValid(user, loginTs, keptAt))
      .sort((a, b) => b.loginTs - a.loginTs)
  )
}

/**
 * Ends a session at the request of another browser or an operator. The device may be lost, so
 * offline access that outlives the session is revoked, too.
 */
export async function endUserSession(
  context: IssuerContext,
  provider: Provider,
  user: User,
  { entry, uid, authorizations }: UserSession,
): Promise<void> {
  const session = { uid, stored: entry, authorizations }
  await endSession(context, provider, {
    accountId: user.id,
    authorizations,
    destroy: () => removeSession(context, provider, user.tenantId, session),
  })
  const grants = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
  await Promise.all(grants.map((grantId) => revokeGrant(provider, grantId)))
}

/**
 * The public id of a session. The session's `uid` stays secret, because the tokens of its forms are
 * derived from it.
 */
export function shownId(uid: string): string {
  return hash('sha256', `latchkey session ${uid}`, 'buffer').toString('base64url').slice(0, 16)
}
