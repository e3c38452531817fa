import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { RESOURCES_KEY, type Resource } from '../../domain/applications/application-resources.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { IssuerContext } from '../context.ts'
import { loginOfTokens } from '../engine/login-facts.ts'
import { isFapi } from './client-policy.ts'

type Features = NonNullable<Configuration['features']>
type ExtraTokenClaims = NonNullable<Configuration['extraTokenClaims']>

/**
 * Access tokens for the APIs of an application's metadata: JWTs, which the API verifies by itself, with those scopes of
 * the API that the application may ask for. An API that no application offers has none.
 *
 * @see RFC 8707 §2, RFC 9068 §2
 */
export function createApiTokens(
  { directory }: Pick<IssuerContext, 'directory'>,
  tenantId: string,
): NonNullable<Features['resourceIndicators']> {
  return {
    enabled: true,
    async getResourceServerInfo(ctx, name, client) {
      const resource = resourcesOf(client).find((one) => one.name === name)
      if (!resource) {
        throw new errors.InvalidTarget(`"${RESOURCES_KEY}" of the application does not name it`)
      }
      const api = await directory.api(tenantId, name)
      const known = [...(api?.scopes.keys() ?? [])]
      const allowed = known.filter((scope) => resource.scopes?.includes(scope) ?? true)
      refuseOthersScopes(ctx, known, allowed)
      return {
        scope: allowed.join(' '),
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifetimes.apiTokenSeconds,
        jwt: { sign: { alg: isFapi(client) ? 'PS256' : 'RS256' } },
      }
    },
  }
}

function resourcesOf(client: Client): readonly Resource[] {
  return (client[RESOURCES_KEY] as Resource[] | undefined) ?? []
}

/**
 * Refuses a scope that the API has and this application may not ask for. A refresh gets a token without it: its token is
 * used up by now.
 *
 * @see RFC 6749 §3.3
 */
function refuseOthersScopes(
  { oidc }: KoaContextWithOIDC,
  known: readonly string[],
  allowed: readonly string[],
): void {
  if (oidc.params?.grant_type === 'refresh_token') return
  const others = known.filter((scope) => !allowed.includes(scope))
  const asked = oidc.requestParamScopes
  const refused = others.find((scope) => asked.has(scope))
  if (refused === undefined) return
  throw new errors.InvalidScope(
    `the API has the scope ${refused}, and "${RESOURCES_KEY}" of the application does not name it`,
    refused,
  )
}

/**
 * Every refresh token is used once, except those of FAPI 2.0, which are good only with the key of their client. A
 * refresh for an API that the login did not ask for is refused before its token is used up: the next refresh would
 * count as a theft and end the login.
 *
 * @see RFC 8707 §2.2, FAPI 2.0 Security Profile §5.3.2.1
 */
export function rotatesUnlessRefused(ctx: KoaContextWithOIDC): boolean {
  refuseForeignApi(ctx, ctx.oidc.entities.RefreshToken?.resourceIndicators)
  return !isFapi(ctx.oidc.client)
}

/**
 * Refuses a request for a token of an API that its login did not ask for, or of several at once.
 *
 * @param granted - The APIs that the login asked for.
 */
export function refuseForeignApi(
  { oidc }: KoaContextWithOIDC,
  granted: Pick<ReadonlySet<string | undefined>, 'has'> | undefined,
): void {
  const asked = oidc.params?.resource
  if (asked && !(typeof asked === 'string' && granted?.has(asked))) {
    throw new errors.InvalidTarget('ask for one of the APIs that the login asked for')
  }
}

/**
 * Claims of an access token about its login: for an API, when and how strongly the user logged in; for userinfo,
 * when, to know whether the login is still valid.
 *
 * @see RFC 9068 §2.2.1
 */
export const claimsOfAccessToken: ExtraTokenClaims = (ctx: KoaContextWithOIDC, token) => {
  const { AuthorizationCode, RefreshToken } = ctx.oidc.entities
  const { authTime, acr, amr } = AuthorizationCode ?? RefreshToken ?? {}
  const { keptAt, provenAt = authTime } = loginOfTokens()
  if (!token.resourceServer) return { login_at: authTime, kept_at: keptAt }
  return { auth_time: provenAt ? Math.floor(provenAt) : undefined, acr, amr }
}
