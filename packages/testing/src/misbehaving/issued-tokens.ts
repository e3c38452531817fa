import { randomBytes } from 'node:crypto'
import { signJwt } from './signing.ts'
import type { ProviderState } from './state.ts'

type Members = Record<string, unknown>

/** Makes a logout token. @see OpenID Connect Back-Channel Logout 1.0 §2.4 */
export function issueLogoutToken(state: ProviderState, claims: Members, header?: Members): string {
  const { issuer, clientId, fault } = state.provider
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: issuer,
    aud: clientId,
    iat: now,
    ...(fault === 'logout token without exp' ? {} : { exp: now + 120 }),
    jti: randomBytes(9).toString('hex'),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...claims,
  }
  return issue(state, all, { typ: 'logout+jwt', ...header })
}

/** Makes a JWT access token of the user. @see RFC 9068 §2.2 */
export function issueAccessToken(state: ProviderState, claims: Members, header?: Members): string {
  const { issuer, user, accessTokenSeconds } = state.provider
  const now = Math.floor(Date.now() / 1000)
  const all = {
    ...{ iss: issuer, aud: 'https://api.example', sub: String(user.sub) },
    ...{ iat: now, exp: now + accessTokenSeconds, client_id: 'mobile' },
    jti: randomBytes(9).toString('hex'),
    ...claims,
  }
  return issue(state, all, { typ: 'at+jwt', ...header })
}

function issue({ provider, key }: ProviderState, claims: Members, header: Members): string {
  const token = signJwt(claims, key, header)
  provider.secrets.push(token)
  return token
}
