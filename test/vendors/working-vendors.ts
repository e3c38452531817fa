import { generateKeyPairSync } from 'node:crypto'
import * as options from '../../examples/guides/src/providers.ts'
import { entraMetadata, TENANT } from './entra.ts'
import type { Vendor } from './vendor.ts'

const EMAIL = 'ada@example.com'
const applePrivateKey = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey

/** Entra's keys do not say what they sign with, but who signs with them. */
const entraKey = (key: Record<string, unknown>): Record<string, unknown> => ({
  ...key,
  alg: undefined,
  issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
})

/** Providers that log in with the options of their pages. */
export const working: readonly Vendor[] = [
  {
    name: 'Auth0',
    sources: [
      'https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery',
      'https://auth0.com/docs/authenticate/login/logout/log-users-out-of-auth0',
    ],
    options: options.auth0,
    metadata: {
      issuer: 'https://acme.eu.auth0.com/',
      authorization_endpoint: 'https://acme.eu.auth0.com/authorize',
      token_endpoint: 'https://acme.eu.auth0.com/oauth/token',
      jwks_uri: 'https://acme.eu.auth0.com/.well-known/jwks.json',
      userinfo_endpoint: 'https://acme.eu.auth0.com/userinfo',
      end_session_endpoint: 'https://acme.eu.auth0.com/oidc/logout',
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    },
    claims: {
      sub: 'auth0|507f1f77bcf86cd799439011',
      email: EMAIL,
      'https://acme.example/roles': ['admin'],
    },
    user: { sub: 'auth0|507f1f77bcf86cd799439011', email: EMAIL },
    role: 'admin',
    request: { scope: 'openid profile email offline_access' },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.eu.auth0.com/oidc/logout',
      parameters: ['id_token_hint', 'client_id', 'post_logout_redirect_uri'],
    },
    hasBackchannelLogout: true,
  },
  {
    name: 'Auth0 that names no log-out',
    sources: ['https://auth0.com/docs/authenticate/login/logout/log-users-out-of-auth0'],
    options: options.auth0WithoutEndpoint,
    metadata: {
      issuer: 'https://acme.eu.auth0.com/',
      authorization_endpoint: 'https://acme.eu.auth0.com/authorize',
      token_endpoint: 'https://acme.eu.auth0.com/oauth/token',
      jwks_uri: 'https://acme.eu.auth0.com/.well-known/jwks.json',
    },
    claims: { email: EMAIL },
    user: { email: EMAIL },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.eu.auth0.com/oidc/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Entra ID, one tenant',
    sources: [
      'https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc',
      'https://learn.microsoft.com/en-us/entra/identity-platform/id-token-claims-reference',
    ],
    options: options.entra,
    metadata: entraMetadata(`https://login.microsoftonline.com/${TENANT}/v2.0`, TENANT),
    claims: { oid: 'a0b1', tid: TENANT, preferred_username: EMAIL, ver: '2.0', roles: ['admin'] },
    change: { key: entraKey },
    user: { tid: TENANT, preferred_username: EMAIL, roles: ['admin'] },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/logout`,
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Entra ID, several tenants',
    sources: [
      'https://learn.microsoft.com/en-us/entra/identity-platform/howto-convert-app-to-be-multi-tenant',
    ],
    options: options.entraOfSeveralTenants,
    metadata: entraMetadata('https://login.microsoftonline.com/{tenantid}/v2.0', 'organizations'),
    claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT },
    change: { key: entraKey },
    user: { tid: TENANT },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://login.microsoftonline.com/organizations/oauth2/v2.0/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Azure AD B2C',
    sources: [
      'https://learn.microsoft.com/en-us/azure/active-directory-b2c/configure-tokens',
      'https://learn.microsoft.com/en-us/azure/active-directory-b2c/openid-connect',
    ],
    options: options.azureAdB2c,
    metadata: {
      issuer: `https://acme.b2clogin.com/${TENANT}/v2.0/`,
      authorization_endpoint:
        'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/oauth2/v2.0/authorize',
      token_endpoint:
        'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/oauth2/v2.0/token',
      jwks_uri: 'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/discovery/v2.0/keys',
      end_session_endpoint:
        'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/oauth2/v2.0/logout',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    claims: { emails: [EMAIL], tfp: 'b2c_1_sign_in', ver: '1.0' },
    change: {
      key: (key) => ({ ...key, alg: undefined }),
      // Its numbers are texts.
      token: (answer) => ({ body: { ...answer, expires_in: '3600', not_before: '1442340812' } }),
    },
    user: { emails: [EMAIL], tfp: 'b2c_1_sign_in' },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.b2clogin.com/acme.onmicrosoft.com/b2c_1_sign_in/oauth2/v2.0/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Google',
    sources: ['https://developers.google.com/identity/openid-connect/openid-connect'],
    options: options.google,
    metadata: {
      issuer: 'https://accounts.google.com',
      authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
      token_endpoint: 'https://oauth2.googleapis.com/token',
      jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
      userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    claims: { sub: '10769150350006150715113082367', email: EMAIL, hd: 'example.com' },
    user: { email: EMAIL, hd: 'example.com' },
    request: { access_type: 'offline', prompt: 'consent' },
    clientAuth: 'basic',
  },
  {
    name: 'Okta',
    sources: ['https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/'],
    options: options.okta,
    metadata: {
      issuer: 'https://acme.okta.com/oauth2/default',
      authorization_endpoint: 'https://acme.okta.com/oauth2/default/v1/authorize',
      token_endpoint: 'https://acme.okta.com/oauth2/default/v1/token',
      jwks_uri: 'https://acme.okta.com/oauth2/default/v1/keys',
      userinfo_endpoint: 'https://acme.okta.com/oauth2/default/v1/userinfo',
      end_session_endpoint: 'https://acme.okta.com/oauth2/default/v1/logout',
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'client_secret_jwt',
        'private_key_jwt',
        'none',
      ],
    },
    claims: { email: EMAIL, groups: ['Everyone', 'admin'], ver: 1, idp: '00o1' },
    user: { email: EMAIL, groups: ['Everyone', 'admin'] },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.okta.com/oauth2/default/v1/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Keycloak',
    sources: ['https://www.keycloak.org/securing-apps/oidc-layers'],
    options: options.keycloak,
    metadata: {
      issuer: 'https://login.example.com/realms/acme',
      authorization_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/auth',
      token_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/token',
      jwks_uri: 'https://login.example.com/realms/acme/protocol/openid-connect/certs',
      userinfo_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/userinfo',
      end_session_endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/logout',
      backchannel_logout_supported: true,
      authorization_response_iss_parameter_supported: true,
    },
    claims: { typ: 'ID', azp: 'app', email: EMAIL, session_state: 'f1e2', acr: '1' },
    sendsIss: true,
    change: {
      // A key for encryption stands beside the one that signs.
      keys: (keys) => [{ ...keys[0], kid: 'other', use: 'enc', alg: 'RSA-OAEP' }, ...keys],
    },
    user: { email: EMAIL },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://login.example.com/realms/acme/protocol/openid-connect/logout',
      parameters: ['id_token_hint', 'client_id', 'post_logout_redirect_uri'],
    },
    hasBackchannelLogout: true,
  },
  {
    name: 'Amazon Cognito',
    sources: [
      'https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html',
      'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html',
    ],
    options: options.cognito,
    metadata: {
      issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI',
      authorization_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/authorize',
      token_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/token',
      jwks_uri:
        'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI/.well-known/jwks.json',
      userinfo_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/userInfo',
      end_session_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/logout',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    claims: {
      token_use: 'id',
      email: EMAIL,
      'cognito:username': 'ada',
      'cognito:groups': ['admin'],
    },
    user: { email: EMAIL, 'cognito:groups': ['admin'] },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/logout',
      parameters: ['client_id', 'logout_uri'],
      leftOut: ['post_logout_redirect_uri', 'id_token_hint'],
    },
  },
  {
    name: 'Sign in with Apple',
    sources: [
      'https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple',
      'https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret',
    ],
    options: options.apple(applePrivateKey),
    metadata: {
      issuer: 'https://appleid.apple.com',
      authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
      token_endpoint: 'https://appleid.apple.com/auth/token',
      jwks_uri: 'https://appleid.apple.com/auth/keys',
      response_modes_supported: ['query', 'fragment', 'form_post'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
    claims: { email: EMAIL, email_verified: 'true', nonce_supported: true },
    user: { email: EMAIL, email_verified: true },
    request: { response_mode: 'form_post', scope: 'openid name email' },
    clientAuth: 'post',
    clientSecret: /^ey[\w-]+\.[\w-]+\.[\w-]+$/,
  },
  {
    name: 'GitLab',
    sources: ['https://docs.gitlab.com/integration/openid_connect_provider'],
    options: options.gitlab,
    metadata: {
      issuer: 'https://gitlab.com',
      authorization_endpoint: 'https://gitlab.com/oauth/authorize',
      token_endpoint: 'https://gitlab.com/oauth/token',
      jwks_uri: 'https://gitlab.com/oauth/discovery/keys',
      userinfo_endpoint: 'https://gitlab.com/oauth/userinfo',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    claims: { sub: '1', email: EMAIL, groups: ['acme/admins'] },
    user: { email: EMAIL, groups: ['acme/admins'], from_userinfo: true },
    role: 'acme/admins',
    clientAuth: 'basic',
  },
  {
    name: 'authentik',
    sources: [
      'https://docs.goauthentik.io/add-secure-apps/providers/oauth2/',
      'https://docs.goauthentik.io/add-secure-apps/providers/oauth2/frontchannel_and_backchannel_logout',
    ],
    options: options.authentik,
    metadata: {
      issuer: 'https://authentik.example.com/application/o/shop/',
      authorization_endpoint: 'https://authentik.example.com/application/o/authorize/',
      token_endpoint: 'https://authentik.example.com/application/o/token/',
      jwks_uri: 'https://authentik.example.com/application/o/shop/jwks/',
      userinfo_endpoint: 'https://authentik.example.com/application/o/userinfo/',
      end_session_endpoint: 'https://authentik.example.com/application/o/shop/end-session/',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    claims: { email: EMAIL, groups: ['admin'] },
    user: { email: EMAIL, groups: ['admin'] },
    role: 'admin',
    request: { scope: 'openid profile email offline_access' },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://authentik.example.com/application/o/shop/end-session/',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
    hasBackchannelLogout: true,
  },
  {
    name: 'Zitadel',
    sources: [
      'https://zitadel.com/docs/apis/openidoauth/claims',
      'https://zitadel.com/docs/guides/integrate/retrieve-user-roles',
      'https://zitadel.com/docs/guides/integrate/back-channel-logout',
    ],
    options: options.zitadel,
    metadata: {
      issuer: 'https://acme-abc123.eu1.zitadel.cloud',
      authorization_endpoint: 'https://acme-abc123.eu1.zitadel.cloud/oauth/v2/authorize',
      token_endpoint: 'https://acme-abc123.eu1.zitadel.cloud/oauth/v2/token',
      jwks_uri: 'https://acme-abc123.eu1.zitadel.cloud/oauth/v2/keys',
      userinfo_endpoint: 'https://acme-abc123.eu1.zitadel.cloud/oidc/v1/userinfo',
      end_session_endpoint: 'https://acme-abc123.eu1.zitadel.cloud/oidc/v1/end_session',
      token_endpoint_auth_methods_supported: [
        'none',
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
    },
    claims: {
      email: EMAIL,
      'urn:zitadel:iam:org:project:roles': { admin: { '1': 'acme.example' } },
    },
    user: { email: EMAIL, from_userinfo: true },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme-abc123.eu1.zitadel.cloud/oidc/v1/end_session',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
    hasBackchannelLogout: true,
  },
  {
    name: 'AD FS',
    sources: [
      'https://learn.microsoft.com/windows-server/identity/ad-fs/development/ad-fs-logout-openid-connect',
      'https://learn.microsoft.com/windows-server/identity/ad-fs/development/custom-id-tokens-in-ad-fs',
    ],
    options: options.adFs,
    metadata: {
      issuer: 'https://adfs.example.com/adfs',
      authorization_endpoint: 'https://adfs.example.com/adfs/oauth2/authorize/',
      token_endpoint: 'https://adfs.example.com/adfs/oauth2/token/',
      jwks_uri: 'https://adfs.example.com/adfs/discovery/keys',
      userinfo_endpoint: 'https://adfs.example.com/adfs/userinfo',
      end_session_endpoint: 'https://adfs.example.com/adfs/oauth2/logout',
      response_modes_supported: ['query', 'fragment', 'form_post'],
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'client_secret_basic',
        'private_key_jwt',
        'windows_client_authentication',
      ],
    },
    claims: { upn: 'ada@acme.example', unique_name: 'ACME\\ada' },
    user: { upn: 'ada@acme.example' },
    request: { response_mode: 'form_post', scope: 'openid profile email allatclaims' },
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://adfs.example.com/adfs/oauth2/logout',
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Entra External ID',
    sources: ['https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc'],
    options: options.entraExternalId,
    metadata: {
      issuer: `https://${TENANT}.ciamlogin.com/${TENANT}/v2.0`,
      authorization_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/authorize`,
      token_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/token`,
      jwks_uri: `https://acme.ciamlogin.com/${TENANT}/discovery/v2.0/keys`,
      end_session_endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/logout`,
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'private_key_jwt',
        'client_secret_basic',
      ],
    },
    claims: { oid: 'a0b1', tid: TENANT, preferred_username: EMAIL, ver: '2.0' },
    change: { key: entraKey },
    user: { tid: TENANT, preferred_username: EMAIL },
    clientAuth: 'basic',
    logout: {
      endpoint: `https://acme.ciamlogin.com/${TENANT}/oauth2/v2.0/logout`,
      parameters: ['id_token_hint', 'post_logout_redirect_uri'],
    },
  },
  {
    name: 'Slack',
    sources: [
      'https://docs.slack.dev/authentication/sign-in-with-slack',
      'https://docs.slack.dev/reference/methods/openid.connect.token',
    ],
    options: options.slack,
    metadata: {
      issuer: 'https://slack.com',
      authorization_endpoint: 'https://slack.com/openid/connect/authorize',
      token_endpoint: 'https://slack.com/api/openid.connect.token',
      jwks_uri: 'https://slack.com/openid/connect/keys',
      userinfo_endpoint: 'https://slack.com/api/openid.connect.userInfo',
    },
    claims: { sub: 'U0R7MFMJM', email: EMAIL, 'https://slack.com/team_id': 'T0RR' },
    change: { token: (answer) => ({ body: { ok: true, ...answer } }) },
    user: { sub: 'U0R7MFMJM', email: EMAIL, 'https://slack.com/team_id': 'T0RR' },
    clientAuth: 'basic',
  },
  {
    name: 'Twitch',
    sources: ['https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/'],
    options: options.twitch,
    metadata: {
      issuer: 'https://id.twitch.tv/oauth2',
      authorization_endpoint: 'https://id.twitch.tv/oauth2/authorize',
      token_endpoint: 'https://id.twitch.tv/oauth2/token',
      jwks_uri: 'https://id.twitch.tv/oauth2/keys',
      userinfo_endpoint: 'https://id.twitch.tv/oauth2/userinfo',
      claims_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
    claims: { email: EMAIL, preferred_username: 'ada' },
    change: {
      token: (answer) => ({
        body: { ...answer, token_type: 'bearer', scope: ['openid', 'user:read:email'] },
      }),
    },
    user: { email: EMAIL, preferred_username: 'ada' },
    request: {
      scope: 'openid user:read:email',
      claims: '{"id_token":{"email":null,"email_verified":null,"preferred_username":null}}',
    },
    clientAuth: 'post',
  },
]
