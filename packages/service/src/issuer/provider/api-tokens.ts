import { type Client, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { API_CLIENTS_KEY } from '../../domain/applications/application-api.ts'
import { RESOURCES_KEY, type Resource } from '../../domain/applications/application-resources.ts'
import { knownScopes } from '../../domain/applications/application-scopes.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import type { IssuerContext } from '../context.ts'
import type { GrantedApis } from '../engine/code.ts'
import { loginOfTokens } from '../engine/login-facts.ts'
import { isFapi, NotRegisteredFor } from './clients/client-policy.ts'
import { isSelfDescribed } from './clients/self-described.ts'

type Features = NonNullable<Configuration['features']>
type ExtraTokenClaims = NonNullable<Configuration['extraTokenClaims']>

/**
 * Creates the resource indicators feature of oidc-provider: access tokens for the APIs that an
 * application's metadata names. The tokens are JWTs, which the API verifies itself. They contain
 * only scopes that the application may ask for. An API that no application offers has no scopes.
 *
 * @see RFC 8707 §2, RFC 9068 §2
 */
export function createApiTokens(
  context: Pick<IssuerContext, 'directory'>,
  tenantId: string,
): NonNullable<Features['resourceIndicators']> {
  const scopesAt: ScopesAt = (client, name) => scopesOf(context, tenantId, client, name)
  const settled = new WeakMap<KoaContextWithOIDC, Promise<void>>()
  /** oidc-provider asks for each resource of a request, but their scopes are settled together. */
  function settleOnce(ctx: KoaContextWithOIDC, client: Client): Promise<void> {
    const known = settled.get(ctx) ?? settleScopes(ctx, client, scopesAt)
    settled.set(ctx, known)
    return known
  }
  return {
    enabled: true,
    async defaultResource(ctx, client, oneOf) {
      if (oneOf) return oneOf
      // `undefined` is oidc-provider's own default, but its types do not allow it.
      if (!isForApi(ctx)) return undefined as unknown as string
      return onlyApiOf(ctx, client, await resourcesOf(context, tenantId, client))
    },
    async getResourceServerInfo(ctx, name, client) {
      refuseTooMany(ctx)
      const { known, allowed } = await scopesAt(client, name)
      refuseOthersScopes(ctx, known, allowed)
      if (isForApi(ctx)) await settleOnce(ctx, client)
      return {
        scope: allowed.join(' '),
        accessTokenFormat: 'jwt',
        accessTokenTTL: lifetimes.apiTokenSeconds,
        jwt: { sign: { alg: isFapi(client) ? 'PS256' : 'RS256' } },
      }
    },
  }
}

/** The maximum number of `resource` parameters in a request. */
const MAX_RESOURCES = 20

/**
 * Refuses a request with too many resources before any of them is looked up. Anyone can send such a
 * request for a public client.
 *
 * @throws InvalidTarget
 */
function refuseTooMany({ oidc }: KoaContextWithOIDC): void {
  const { length } = resourcesIn(oidc.params ?? {})
  if (length <= MAX_RESOURCES) return
  throw new errors.InvalidTarget(
    `the request has ${length} resources; at most ${MAX_RESOURCES} are accepted`,
  )
}

function resourcesIn({ resource }: Readonly<Record<string, unknown>>): unknown[] {
  return [resource].flat()
}

/** The scopes of an API (`known`), and those that an application may ask for (`allowed`). */
interface ApiScopes {
  readonly known: readonly string[]
  readonly allowed: readonly string[]
}

type ScopesAt = (client: Client, name: string) => Promise<ApiScopes>

/**
 * The scopes of the API with this name, for a client.
 *
 * @throws InvalidTarget if the client may not ask for the API.
 */
async function scopesOf(
  context: Pick<IssuerContext, 'directory'>,
  tenantId: string,
  client: Client,
  name: string,
): Promise<ApiScopes> {
  const resources = await resourcesOf(context, tenantId, client)
  const resource = resources.find((one) => one.name === name)
  if (!resource && isSelfDescribed(client)) {
    throw new errors.InvalidTarget(
      `no application offers it to clients with a metadata document ("${API_CLIENTS_KEY}")`,
    )
  }
  if (!resource) {
    throw new errors.InvalidTarget(`"${RESOURCES_KEY}" of the application does not name it`)
  }
  const api = await context.directory.api(tenantId, name)
  const known = [...(api?.scopes.keys() ?? [])]
  return { known, allowed: known.filter((scope) => resource.scopes?.includes(scope) ?? true) }
}

/**
 * The APIs that a client may ask for: the APIs in its metadata or, for a self-described client, the
 * APIs that are open to such clients.
 */
async function resourcesOf(
  { directory }: Pick<IssuerContext, 'directory'>,
  tenantId: string,
  client: Client,
): Promise<readonly Resource[]> {
  if (!isSelfDescribed(client)) return (client[RESOURCES_KEY] as Resource[] | undefined) ?? []
  return (await directory.openApis(tenantId)).map((name) => ({ name }))
}

/**
 * Whether a request is for an API and not for a login: with client credentials, or an authorization
 * request without `openid`.
 */
function isForApi(ctx: KoaContextWithOIDC): boolean {
  const { params, requestParamScopes: scopes } = ctx.oidc
  return isClientCredentials(ctx) || (params?.grant_type === undefined && !scopes.has('openid'))
}

/**
 * Whether an application requests a token for itself, without a user.
 *
 * @see RFC 6749 §4.4
 */
function isClientCredentials({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.params?.grant_type === 'client_credentials'
}

/**
 * The API for a request that names no API: the only API that the application may call.
 *
 * @throws NotRegisteredFor or InvalidTarget if the application may call no API, or several.
 * @see RFC 8707 §2
 */
function onlyApiOf(
  ctx: KoaContextWithOIDC,
  client: Client,
  [first, ...others]: readonly Resource[],
): string {
  if (first && others.length === 0) return first.name
  if (isSelfDescribed(client)) {
    throw new errors.InvalidTarget('name the API that the token is for with resource')
  }
  if (isClientCredentials(ctx)) {
    throw new errors.InvalidTarget(`name an API of ${RESOURCES_KEY} with resource`)
  }
  throw new NotRegisteredFor(
    `add openid to the scope of the request to log a user in, or name an API of ${RESOURCES_KEY} with resource to get a token for it`,
  )
}

/**
 * Checks the scopes of a request for APIs. A request without scopes gets all scopes of these APIs
 * that the application may ask for.
 *
 * @throws InvalidScope for a scope that the application may not ask for. In an authorization
 *   request, the scopes of the issuer are allowed, but at least one scope is required.
 * @see RFC 6749 §3.3
 */
async function settleScopes(
  ctx: KoaContextWithOIDC,
  client: Client,
  scopesAt: ScopesAt,
): Promise<void> {
  const { oidc } = ctx
  const params = oidc.params ?? {}
  const names = new Set(resourcesIn(params).filter((name) => typeof name === 'string'))
  const found = await Promise.all([...names].map((name) => scopesAt(client, name)))
  const allowed = new Set(found.flatMap((one) => one.allowed))
  const asked = [...oidc.requestParamScopes].filter((scope) => scope !== '')
  if (asked.length === 0 && allowed.size === 0) {
    if (isClientCredentials(ctx)) return
    throw new errors.InvalidScope('the API has no scopes for this application; ask for openid', '')
  }
  if (asked.length === 0) params.scope = [...allowed].join(' ')
  const issuerScopes = isClientCredentials(ctx) ? [] : knownScopes
  const unknown = asked.find((scope) => !allowed.has(scope) && !issuerScopes.includes(scope))
  if (unknown === undefined) return
  throw new errors.InvalidScope(`the API has no scope ${unknown}`, unknown)
}

/**
 * Refuses a scope of the API that this application may not ask for. A refresh is not refused,
 * because its refresh token is already used up. Its access token is issued without the scope.
 *
 * @see RFC 6749 §3.3
 */
function refuseOthersScopes(
  { oidc }: KoaContextWithOIDC,
  known: readonly string[],
  allowed: readonly string[],
): void {
  if (oidc.params?.grant_type === 'refresh_token') return
  const asked = oidc.requestParamScopes
  const refused = known.find((scope) => asked.has(scope) && !allowed.includes(scope))
  if (refused === undefined) return
  throw new errors.InvalidScope(
    `the API has the scope ${refused}, and "${RESOURCES_KEY}" of the application does not name it`,
    refused,
  )
}

/**
 * Whether a refresh uses up its refresh token. Tokens of FAPI 2.0 clients are kept, because they
 * are valid only with the client's key. A refresh for an API that the login did not ask for is
 * refused before its token is used up. Otherwise the next refresh would count as a theft and end
 * the login.
 *
 * @see RFC 8707 §2.2, FAPI 2.0 Security Profile §5.3.2.1
 */
export function rotatesUnlessRefused(ctx: KoaContextWithOIDC): boolean {
  const { RefreshToken: token } = ctx.oidc.entities
  if (token) refuseForeignApi(ctx, token)
  return !isFapi(ctx.oidc.client)
}

/**
 * Refuses a token request for several APIs, or for an API that the login did not ask for. If the
 * login asked for several APIs, also refuses a request that names none, unless it is for userinfo.
 *
 * @param granted - The APIs and scopes that the login asked for.
 * @throws InvalidTarget
 */
export function refuseForeignApi({ oidc }: KoaContextWithOIDC, granted: GrantedApis): void {
  const { resource: asked, scope = granted.scope } = oidc.params ?? {}
  const apis = granted.resourceIndicators
  if (asked && !(typeof asked === 'string' && apis.has(asked))) {
    throw new errors.InvalidTarget('ask for one of the APIs that the login asked for')
  }
  const isForUserInfo = typeof scope === 'string' && scope.split(' ').includes('openid')
  if (!asked && !isForUserInfo && apis.size > 1) {
    throw new errors.InvalidTarget('the login asked for several APIs: name one with resource')
  }
}

/**
 * The claims of an access token about its login. For an API: the time and the strength of the login
 * and, for an operator's login as the user, the operator. For userinfo: the facts that are needed
 * to check whether the login is still valid.
 *
 * @see RFC 9068 §2.2.1, RFC 8693 §4.1
 */
export const claimsOfAccessToken: ExtraTokenClaims = (ctx: KoaContextWithOIDC, token) => {
  const { AuthorizationCode, DeviceCode, RefreshToken } = ctx.oidc.entities
  const { authTime, acr, amr } = AuthorizationCode ?? DeviceCode ?? RefreshToken ?? {}
  const { keptAt, provenAt = authTime, acting } = loginOfTokens()
  if (!token.resourceServer) return { login_at: authTime, kept_at: keptAt, acting: acting?.id }
  const act = acting && { sub: acting.by }
  return { auth_time: provenAt ? Math.floor(provenAt) : undefined, acr, amr, act }
}
