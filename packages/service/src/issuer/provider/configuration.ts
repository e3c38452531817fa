import type { Configuration, JWK } from 'oidc-provider'
import { RESOURCES_KEY } from '../../domain/applications/application-resources.ts'
import { COMMAND_LOGIN_SECONDS } from '../../domain/operators/command-logins.ts'
import { acrOf } from '../../domain/ways/assurance.ts'
import { lifetimes, loginSeconds } from '../../domain/writes/lifetimes.ts'
import type { Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { isFromDevice } from '../engine/device-code.ts'
import { withinActing } from '../engine/login-facts.ts'
import type { LoginFacts } from '../engine/session.ts'
import { beginFlow } from '../interaction/first/begin-flow.ts'
import { paths } from '../requests/paths.ts'
import { factsOf } from '../requests/request-facts.ts'
import { createLogout, logoutDiscovery } from '../sessions/logout.ts'
import { claimsOfScope, createFindAccount } from './account.ts'
import { createAdapterFactory } from './adapter.ts'
import { claimsOfAccessToken, createApiTokens, rotatesUnlessRefused } from './api-tokens.ts'
import { EARLIER_SECRET, EARLIER_SECRET_UNTIL } from './clients/client-metadata.ts'
import { exceptionProperties, isFapi, mayAskAsScript, needsPkce } from './clients/client-policy.ts'
import { checkAssertion } from './clients/client-proofs.ts'
import { registrationOf } from './clients/registrations.ts'
import { isSelfDescribed } from './clients/self-described.ts'
import { isCommand } from './command-logins.ts'
import { createDeviceFlow } from './device-logins.ts'
import { loadGrant } from './grants.ts'
import { createPolicy, prompts } from './policy.ts'
import { createRenderError } from './render-error.ts'

/** The signing algorithms of clients' keys. */
const keyAlgorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const

/**
 * Creates the configuration of oidc-provider for a tenant. Settings are read again at each request,
 * except those that discovery publishes.
 */
export function createConfiguration(
  context: IssuerContext,
  tenant: Tenant,
  options: { issuer: string; isSecure: boolean; keys: JWK[]; nonceSecret: Buffer },
): Configuration {
  const { clock } = context.domain
  return {
    adapter: createAdapterFactory(context, tenant.id, options.issuer),
    findAccount: createFindAccount(context, tenant.id),
    loadExistingGrant: (ctx) => loadGrant(context, ctx),
    jwks: { keys: options.keys },
    claims: claimsOfScope,
    scopes: ['openid', 'offline_access'],
    acrValues: [acrOf.two_step, acrOf.mfa],
    // The ID Token also has name and email, not only the response of userinfo.
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    assertJwtClientAuthClaimsAndHeader: async (ctx, claims, header) =>
      checkAssertion(ctx, { header, claims }, clock),
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'RS256',
    },
    extraClientMetadata: {
      properties: [
        ...[EARLIER_SECRET, EARLIER_SECRET_UNTIL, RESOURCES_KEY],
        ...exceptionProperties,
      ],
    },
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256', 'PS256'],
      clientAuthSigningAlgValues: [...keyAlgorithms],
      dPoPSigningAlgValues: [...keyAlgorithms],
    },
    fetch: createFetch(context, tenant.id),
    pkce: { required: needsPkce },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: mayAskAsScript,
    // Self-described clients rarely ask for offline access, but their access tokens are valid only
    // for minutes. So they get a refresh token anyway. Without `offline_access`, the refresh token
    // expires with the session.
    issueRefreshToken: async (_ctx, client, source) =>
      // An operator's login as a user gets no refresh token, so the login ends with the access
      // token.
      !isOfActing(source) &&
      client.grantTypeAllowed('refresh_token') &&
      (source.scopes.has('offline_access') || isSelfDescribed(client)),
    rotateRefreshToken: rotatesUnlessRefused,
    // A device stays logged in after a logout in the browser where its user confirmed it.
    expiresWithSession: async (_ctx, source) =>
      isOfActing(source) || (!isFromDevice(source) && !source.scopes.has('offline_access')),
    // Revoking an access token also revokes its grant, because every token is checked by its grant.
    revokeGrantPolicy: () => true,
    cookies: cookies(options.isSecure),
    routes: paths,
    extraParams: ['screen_hint'],
    discovery: { prompt_values_supported: prompts, ...logoutDiscovery },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: context.clientDocuments.feature(tenant, factsOf),
      dPoP: {
        enabled: true,
        nonceSecret: options.nonceSecret,
        requireNonce: ({ oidc }) => isFapi(oidc.client),
      },
      fapi: {
        enabled: true,
        profile: (_ctx, client) => (isFapi(client) ? '2.0' : undefined),
      },
      deviceFlow: createDeviceFlow(context),
      pushedAuthorizationRequests: { enabled: true },
      registration: registrationOf(tenant, factsOf),
      resourceIndicators: createApiTokens(context, tenant.id),
      revocation: {
        enabled: true,
        // An application can revoke only its own tokens (RFC 7009 §2.1).
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: createLogout(context),
      backchannelLogout: { enabled: true },
    },
    renderError: createRenderError(context),
    interactions: {
      policy: createPolicy(context),
      url: beginFlow(context),
    },
    extraTokenClaims: claimsOfAccessToken,
    ttl: secondsOf(context, tenant.id),
  }
}

/** The lifetimes of oidc-provider's records, in seconds: tokens, codes, sessions and others. */
function secondsOf({ domain: { clock } }: IssuerContext, tenantId: string): Configuration['ttl'] {
  return {
    AccessToken: (_ctx, { resourceServer }, { clientId }) => {
      if (isCommand(tenantId, clientId)) return COMMAND_LOGIN_SECONDS
      return withinActing(resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds, clock)
    },
    AuthorizationCode: lifetimes.authorizationCodeSeconds,
    ClientCredentials: lifetimes.apiTokenSeconds,
    DeviceCode: lifetimes.deviceCodeSeconds,
    IdToken: () => withinActing(lifetimes.idTokenSeconds, clock),
    RefreshToken: lifetimes.refreshTokenSeconds,
    Interaction: lifetimes.interactionSeconds,
    Grant: lifetimes.offlineGrantSeconds,
    Session: (ctx, session) => {
      // A session without a user contains only the secret of a form.
      if (session.accountId === undefined) return lifetimes.interactionSeconds
      const now = clock.now() / 1000
      const { acting } = session as LoginFacts
      const endsAt =
        acting?.until ?? (session.loginTs ?? now) + loginSeconds(factsOf(ctx.req).tenant)
      return Math.max(1, Math.ceil(endsAt - now))
    },
  }
}

/** Whether a code or token belongs to an operator's login as a user. */
function isOfActing(source: object): boolean {
  return (source as LoginFacts).acting !== undefined
}

/**
 * The `fetch` of oidc-provider, which reads clients' metadata documents and sends logout tokens.
 */
function createFetch(
  { clientDocuments, outgoing }: IssuerContext,
  tenantId: string,
): NonNullable<Configuration['fetch']> {
  const read = clientDocuments.reading(tenantId)
  const send = outgoing.forTenant(tenantId)
  return (url, options) => (options?.method === 'GET' ? read : send)(url, options)
}

/**
 * The cookie options of oidc-provider. Over TLS, the `__Host-` prefix restricts the session cookie
 * to the issuer's own host. The other two cookies have their own paths, which the prefix does not
 * allow, so sibling hosts can set them. Therefore `requests/browser-cookie.ts` binds interactions
 * to the browser.
 */
function cookies(isSecure: boolean): NonNullable<Configuration['cookies']> {
  const attributes = { httpOnly: true, sameSite: 'lax', secure: isSecure } as const
  return {
    names: {
      session: isSecure ? '__Host-latchkey-session' : 'latchkey-session',
      interaction: isSecure ? '__Secure-latchkey-flow' : 'latchkey-flow',
      resume: isSecure ? '__Secure-latchkey-resume' : 'latchkey-resume',
    },
    long: { ...attributes, path: '/' },
    short: attributes,
  }
}
