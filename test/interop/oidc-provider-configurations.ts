import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AuthOptions } from '@latchkey/express'
import type { ClientMetadata } from 'oidc-provider'
import type { Candidate } from './candidate.ts'
import { jwk, type Setup, startOidcProvider } from './oidc-provider.ts'
import { npmVersion } from './versions.ts'

/** Every configuration of oidc-provider that is tried. */
export const oidcProviderConfigurations: readonly Candidate[] = [
  of('defaults', 'Refresh tokens need `prompt=consent`.'),
  ...discovery(),
  ...clientAuthentication(),
  ...signing(),
  ...requests(),
  ...tokens(),
  ...sessions(),
  ...refused(),
]

/** oidc-provider in one configuration. */
function of(
  name: string,
  remarks: string,
  setup: Setup = {},
  more: Partial<Omit<Candidate, 'provider' | 'remarks'>> = {},
): Candidate {
  return {
    provider: `oidc-provider, ${name}`,
    version: () => npmVersion('oidc-provider'),
    remarks,
    start: (application) => startOidcProvider(application, setup),
    ...more,
  }
}

function discovery(): Candidate[] {
  const path = '/.well-known/openid-configuration'
  /** Serves the document elsewhere, or nowhere. */
  const movedTo =
    (place: string | undefined): NonNullable<Setup['prepare']> =>
    (provider) => {
      provider.use(async (ctx, next) => {
        if (ctx.path === path) ctx.status = 404
        else {
          if (ctx.path === place) {
            ctx.path = path
            Object.assign(ctx.req, { originalUrl: path })
          }
          await next()
        }
      })
    }
  return [
    of('discovery at another address', '`discoveryUrl`.', {
      prepare: movedTo(`/api/auth${path}`),
      options: (issuer) => ({ discoveryUrl: `${issuer}/api/auth${path}` }),
    }),
    of('no discovery document', '`metadata` with the endpoints.', {
      prepare: movedTo(undefined),
      options: (issuer) => ({
        metadata: {
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          end_session_endpoint: `${issuer}/session/end`,
        },
      }),
    }),
  ]
}

function clientAuthentication(): Candidate[] {
  const keyed = (
    name: string,
    { privateKey }: { privateKey: Parameters<typeof createPublicKey>[0] & object },
    alg: string,
  ): Candidate => {
    const clientKey = privateKey as NonNullable<AuthOptions['clientKey']>
    return of(name, "`clientAuth: 'private_key_jwt'` and `clientKey`.", {
      client: {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: alg as never,
        jwks: { keys: [jwk(createPublicKey(clientKey as never), 'app')] },
      },
      options: { clientAuth: 'private_key_jwt', clientKey },
    })
  }
  return [
    of('client_secret_post', "`clientAuth: 'client_secret_post'`.", {
      client: { token_endpoint_auth_method: 'client_secret_post' },
      options: { clientAuth: 'client_secret_post' },
    }),
    keyed('private_key_jwt RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS256'),
    keyed('private_key_jwt ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'ES256'),
    keyed('private_key_jwt EdDSA', generateKeyPairSync('ed25519'), 'Ed25519'),
    of('public client', "`clientAuth: 'none'`, no `clientSecret`.", {
      client: { token_endpoint_auth_method: 'none' },
      options: { clientAuth: 'none' },
    }),
  ]
}

function signing(): Candidate[] {
  const signed = (alg: NonNullable<ClientMetadata['id_token_signed_response_alg']>): Candidate =>
    of(`ID tokens ${alg}`, '', {
      client: { id_token_signed_response_alg: alg },
      configuration: { enabledJWA: { idTokenSigningAlgValues: [alg] } },
    })
  return [
    ...(['RS512', 'PS256', 'ES256', 'EdDSA'] as const).map(signed),
    of('signed userinfo', "`userinfo: 'login'`.", {
      client: { userinfo_signed_response_alg: 'RS256' },
      configuration: { conformIdTokenClaims: true, features: { jwtUserinfo: { enabled: true } } },
      options: { userinfo: 'login' },
    }),
    of('claims in userinfo alone', "`userinfo: 'login'` reads name and email.", {
      configuration: { conformIdTokenClaims: true },
      options: { userinfo: 'login' },
    }),
  ]
}

function requests(): Candidate[] {
  return [
    of('PAR required', 'By itself: discovery says so.', {
      configuration: {
        features: { pushedAuthorizationRequests: { requirePushedAuthorizationRequests: true } },
      },
    }),
    fapi(),
    of('PKCE required', 'Always sent.', { configuration: { pkce: { required: () => true } } }),
    of(
      'form_post',
      "`responseMode: 'form_post'`; needs https.",
      { options: { responseMode: 'form_post' } },
      { isSecure: true },
    ),
    of('issuer with a path', '', { path: '/tenants/acme' }),
    of('`auth_time` always', '', { client: { require_auth_time: true } }),
    of('`default_max_age`', '', { client: { default_max_age: 3600 } }),
    of('acr values', '`requireUser({ acr })` checks the answer.', {
      configuration: { acrValues: ['urn:mace:incommon:iap:silver'] },
    }),
  ]
}

/** FAPI 2.0 as oidc-provider itself has it. */
function fapi(): Candidate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return of('FAPI 2.0', "`profile: 'fapi2'` and `clientKey`.", {
    client: {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [jwk(publicKey, 'app')] },
      id_token_signed_response_alg: 'ES256',
      dpop_bound_access_tokens: true,
    },
    configuration: {
      features: {
        fapi: { enabled: true, profile: '2.0' },
        pushedAuthorizationRequests: { requirePushedAuthorizationRequests: true },
        dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
      },
    },
    options: { profile: 'fapi2', clientKey: privateKey, userinfo: 'login' },
  })
}

function tokens(): Candidate[] {
  return [
    of('refresh tokens rotate', '', { configuration: { rotateRefreshToken: true } }),
    of('refresh tokens do not rotate', '', { configuration: { rotateRefreshToken: false } }),
    of('JWT access tokens', 'The `resource` is in `authorizationParams`.', {
      configuration: {
        features: {
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: () => ({ scope: 'read', accessTokenFormat: 'jwt' }),
            useGrantedResource: () => true,
          },
        },
      },
      options: { authorizationParams: { prompt: 'consent', resource: 'https://api.example.com' } },
    }),
    of('pairwise subjects', '', {
      client: { subject_type: 'pairwise' },
      configuration: {
        subjectTypes: ['pairwise'],
        pairwiseIdentifier: (_ctx, accountId) => `pairwise-${accountId}`,
      },
    }),
    of('60 groups in the ID token', '', {
      configuration: {
        claims: { openid: ['sub', 'groups'], email: ['email'] },
        findAccount: (_ctx, id) => ({
          accountId: id,
          claims: () => ({
            ...{ sub: id, email: `${id}@example.com` },
            groups: Array.from(
              { length: 60 },
              (_, n) => `${n}a1b2c3d4-0000-4000-8000-e5f6a7b8c9d0`,
            ),
          }),
        }),
      },
    }),
    of(
      'no refresh tokens',
      'The access token is used until it expires.',
      {
        options: { scope: 'openid profile email' },
        client: { grant_types: ['authorization_code'] },
      },
      { lacks: ['refresh'] },
    ),
  ]
}

function sessions(): Candidate[] {
  return [
    of('logout tokens without `sid`', 'Every session of the user ends.', {
      client: { backchannel_logout_session_required: false },
    }),
    of(
      'no log-out endpoint',
      'The session ends at the application alone.',
      { configuration: { features: { rpInitiatedLogout: { enabled: false } } } },
      { lacks: ['logout', 'back-channel'] },
    ),
  ]
}

function refused(): Candidate[] {
  const no = (
    name: string,
    remarks: string,
    refusal: NonNullable<Candidate['refused']>,
    setup: Setup,
  ): Candidate => of(name, `${remarks} (\`${refusal.code}\`).`, setup, { refused: refusal })
  return [
    no(
      'ID tokens HS256',
      'Signed with a shared secret',
      { code: 'LATCHKEY_TOKEN_INVALID', says: /alg|HS256/ },
      {
        client: { id_token_signed_response_alg: 'HS256' },
        configuration: { enabledJWA: { idTokenSigningAlgValues: ['HS256', 'RS256'] } },
      },
    ),
    no(
      'encrypted ID tokens',
      'Not readable',
      { code: 'LATCHKEY_TOKEN_INVALID', says: /JWE decryption/ },
      {
        configuration: { features: { encryption: { enabled: true } } },
        client: {
          id_token_encrypted_response_alg: 'RSA-OAEP',
          id_token_encrypted_response_enc: 'A128GCM',
          jwks: { keys: [encryptionKey()] },
        },
      },
    ),
    no(
      'DPoP required',
      'Tokens bound to a key',
      { code: 'LATCHKEY_CODE_REFUSED', says: /invalid_grant/ },
      {
        client: { dpop_bound_access_tokens: true },
        options: { scope: 'openid profile email', authorizationParams: {} },
      },
    ),
    no(
      'signed requests required',
      'Request objects',
      { code: 'LATCHKEY_LOGIN_DENIED', says: /Request Object/i },
      {
        configuration: { features: { requestObjects: { enabled: true } } },
        client: { require_signed_request_object: true },
      },
    ),
  ]
}

function encryptionKey(): ReturnType<typeof jwk> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...jwk(publicKey, 'encryption'), use: 'enc', alg: 'RSA-OAEP' }
}
