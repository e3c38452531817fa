import type { IDToken } from 'openid-client'
import { validateClaims } from './claims-schema.ts'
import type { AuthContext } from './context.ts'
import type { Provider } from './provider.ts'
import type { Redeemed } from './redeem.ts'
import type { AuthSession } from './session.ts'
import { readUserInfo } from './userinfo.ts'

const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set(
  'iss aud exp iat nbf jti nonce azp at_hash c_hash s_hash auth_time acr amr sid events'.split(' '),
)

/**
 * Makes the session of a login that passed every check.
 *
 * @throws {@link CallbackError} when userinfo speaks of another user, or the claims do not fit the
 *   schema of the options.
 */
export async function newSession(
  { options }: AuthContext,
  provider: Provider,
  { tokens, claims, issuer }: Redeemed,
): Promise<AuthSession> {
  const now = options.now()
  const expiresIn = tokens.expiresIn()
  const userinfo =
    options.userinfo === 'login'
      ? await readUserInfo(provider, tokens.access_token, claims.sub, now)
      : undefined
  return {
    issuer,
    registeredIssuer: provider.issuer,
    clientId: provider.clientId,
    sub: claims.sub,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    user: await validateClaims(options.claims, { ...userClaims(claims), ...userinfo }),
    createdAt: now,
    expiresAt: now + options.session.absoluteSeconds,
    authTime: claims.auth_time,
    acr: typeof claims.acr === 'string' ? claims.acr : undefined,
    amr: isTextList(claims.amr) ? claims.amr : undefined,
    idToken: tokens.id_token,
    tokens: {
      accessToken: tokens.access_token,
      accessTokenExpiresAt: expiresIn === undefined ? undefined : now + expiresIn,
      refreshToken: tokens.refresh_token,
      scope: tokens.scope,
    },
  }
}

/** The claims that speak of the user, without those that speak of the token. */
function userClaims(claims: IDToken): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !PROTOCOL_CLAIMS.has(name)))
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
