import type { IDToken } from 'openid-client'

/**
 * Whether an ID Token that names the party it was issued to names this client. openid-client looks
 * only where there are several audiences.
 *
 * @see OpenID Connect Core 1.0 §3.1.3.7 (5), §12.2
 */
export function isIssuedTo({ azp }: IDToken, clientId: string): boolean {
  return azp === undefined || azp === clientId
}
