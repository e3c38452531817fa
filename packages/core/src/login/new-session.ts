import type { AuthContext } from '../context.ts'
import type { Provider } from '../provider/provider.ts'
import { actorOf } from '../session/actor.ts'
import type { AuthSession } from '../session/session.ts'
import { sessionUser } from '../session/session-user.ts'
import { readUserInfo } from '../tokens/userinfo.ts'
import type { Redeemed } from './redeem.ts'

/**
 * Makes the session of a login that passed every check.
 *
 * @throws {@link CallbackError} when userinfo is about another user, or the claims do not fit the
 *   schema of the options.
 */
export async function newSession(
  { options }: AuthContext,
  provider: Provider,
  { tokens, claims, idToken, issuer, proofKey }: Redeemed,
): Promise<AuthSession> {
  const now = options.now()
  const act = actorOf(claims)
  const endsAt = now + options.session.absoluteSeconds
  const expiresIn = tokens.expiresIn()
  const userinfo =
    options.userinfo !== 'never'
      ? await readUserInfo(
          provider,
          { accessToken: tokens.access_token, proofKey },
          claims.sub,
          now,
        )
      : undefined
  return {
    issuer,
    registeredIssuer: provider.issuer,
    clientId: provider.clientId,
    sub: claims.sub,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    ...(await sessionUser(options, { idToken: claims, userinfo })),
    createdAt: now,
    expiresAt: act ? Math.min(endsAt, claims.exp) : endsAt,
    authTime: claims.auth_time,
    acr: typeof claims.acr === 'string' ? claims.acr : undefined,
    amr: isTextList(claims.amr) ? claims.amr : undefined,
    ...(act && { act }),
    idToken,
    tokens: {
      accessToken: tokens.access_token,
      accessTokenExpiresAt: expiresIn === undefined ? undefined : now + expiresIn,
      accessTokenReceivedAt: now,
      refreshToken: tokens.refresh_token,
      scope: tokens.scope,
      ...(proofKey !== undefined && { proofKey }),
    },
  }
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
