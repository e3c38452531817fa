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
  /** The time at which it survived the end of the user's other sessions. */
  keptAt: number | undefined
  userAgent: string | undefined
  /** The address of the client that logged in. */
  address: string | undefined
  authorizations: NonNullable<Session['authorizations']>
}

/** The sessions of the user that are still good, the newest first. */
export async function sessionsOf(
  { protocol }: Pick<IssuerContext, 'protocol'>,
  user: User,
): Promise<UserSession[]> {
  const entries = await protocol.listByAccount(user.tenantId, 'Session', user.id)
  return (
    entries
      // Those of operators are none of the user's devices; the account page has a list of its own.
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
 * Ends a session, asked for by another browser or an operator. The device may be lost, so all that was
 * granted to outlive the session ends as well.
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

/** How a session is named outside. Its uid stays with the service, as the tokens of its forms come from it. */
export function shownId(uid: string): string {
  return hash('sha256', `latchkey session ${uid}`, 'buffer').toString('base64url').slice(0, 16)
}
