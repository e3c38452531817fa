import type { Provider } from 'oidc-provider'
import type { IssuerContext } from '../context.ts'
import { destroyGrant } from '../engine/grant.ts'
import type { Session } from '../engine/session.ts'

/**
 * Ends a session: notifies its applications, revokes its grants with their tokens, and deletes the
 * session. Offline access outlives the session, so its grants are kept.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2, OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function endSession(
  context: IssuerContext,
  provider: Provider,
  session: Pick<Session, 'accountId' | 'authorizations' | 'destroy'>,
): Promise<void> {
  const { accountId } = session
  for (const [clientId, granted] of Object.entries(session.authorizations ?? {})) {
    if (accountId) {
      await context.logoutNotices.tell(provider, { clientId, sub: accountId, sid: granted.sid })
    }
    if (granted.grantId && !granted.persistsLogout) await revokeGrant(provider, granted.grantId)
  }
  await session.destroy()
}

/** Revokes a grant. From then on, every code and token of the grant is refused. */
export async function revokeGrant(provider: Provider, grantId: string): Promise<void> {
  await Promise.all([
    provider.RefreshToken.revokeByGrantId(grantId),
    destroyGrant(provider, grantId),
  ])
}
