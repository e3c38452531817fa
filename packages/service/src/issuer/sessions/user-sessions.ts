import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { isLoginValid } from '../../domain/ways/valid-logins.ts'
import type { ProtocolEntry } from '../../store/protocol-store.ts'
import type { User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import type { Session } from '../engine/session.ts'
import { endSession, revokeGrant } from './end-session.ts'

/** A session of a user, as it is stored. */
export interface UserSession {
  entry: ProtocolEntry
  uid: string
  /** When the user logged in, in seconds since the epoch. */
  loginTs: number
  /** When the user's other sessions were last ended from this one, which survived. */
  keptAt: number | undefined
  userAgent: string | undefined
  /** The address of the client that logged in. */
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
 * Ends a session from another browser, or for an operator. The device may be lost, so everything that lives longer than
 * the session also ends.
 */
export async function endUserSession(
  context: IssuerContext,
  provider: Provider,
  user: User,
  { entry, authorizations }: UserSession,
): Promise<void> {
  await endSession(context, provider, {
    accountId: user.id,
    authorizations,
    destroy: () => context.protocol.delete(entry),
  })
  const grants = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
  await Promise.all(grants.map((grantId) => revokeGrant(provider, grantId)))
}

/** The public id of a session. Its uid stays secret, because the tokens of its forms are derived from it. */
export function shownId(uid: string): string {
  return hash('sha256', `latchkey session ${uid}`, 'buffer').toString('base64url').slice(0, 16)
}
