import type { Provider } from 'oidc-provider'
import type { User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { dropConsent } from '../provider/consents.ts'
import { endDeviceLogins } from '../provider/device-codes.ts'
import { revokeGrant } from './end-session.ts'
import { sessionsOf } from './user-sessions.ts'

/**
 * Withdraws a user's consent to a client. The consent is deleted first, because without it no token
 * of the client is valid. Then the client's grants are revoked: those of logins on devices, of
 * the user's sessions, and of offline access.
 */
export async function withdrawConsent(
  context: IssuerContext,
  provider: Provider,
  user: User,
  clientId: string,
): Promise<void> {
  const { protocol } = context
  const holder = { context, tenant: { id: user.tenantId } }
  await dropConsent(holder, user.id, clientId)
  await endDeviceLogins(holder, user.id, clientId)
  const [sessions, tokens] = await Promise.all([
    sessionsOf(context, user),
    protocol.listByAccount(user.tenantId, 'RefreshToken', user.id),
  ])
  const grants = new Set<string>()
  for (const { authorizations } of sessions) {
    const grantId = authorizations[clientId]?.grantId
    if (grantId) grants.add(grantId)
  }
  for (const { payload, grantId } of tokens) {
    const stored = JSON.parse(payload) as { clientId?: string }
    if (stored.clientId === clientId && grantId) grants.add(grantId)
  }
  await Promise.all([...grants].map((grantId) => revokeGrant(provider, grantId)))
}
