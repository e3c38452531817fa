import { entraMetadata, TENANT } from './entra.ts'
import type { Vendor } from './vendor.ts'

const SEVERAL_TENANTS =
  'https://learn.microsoft.com/en-us/entra/identity-platform/howto-convert-app-to-be-multi-tenant'
const EMAIL = 'ada@example.com'

/** Providers that the kit refuses, each with a sentence that says why. */
export const refused: readonly Vendor[] = [
  {
    name: 'Entra ID for several tenants, of which none is named',
    sources: [SEVERAL_TENANTS],
    options: { issuer: 'https://login.microsoftonline.com/common/v2.0' },
    metadata: entraMetadata('https://login.microsoftonline.com/{tenantid}/v2.0', 'common'),
    claims: {},
    refused: { code: 'LATCHKEY_PROVIDER_INVALID', says: /entraTenants/ },
  },
  {
    name: 'a user of Entra ID whose tenant is not named',
    sources: [SEVERAL_TENANTS],
    options: {
      issuer: 'https://login.microsoftonline.com/common/v2.0',
      entraTenants: ['66666666-7777-8888-9999-000000000000'],
    },
    metadata: entraMetadata('https://login.microsoftonline.com/{tenantid}/v2.0', 'common'),
    claims: { iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, tid: TENANT },
    refused: { code: 'LATCHKEY_TOKEN_INVALID', says: /entraTenants|tid/ },
  },
  {
    name: 'Azure AD B2C on a domain of its own, with the issuer of its default setting',
    sources: ['https://learn.microsoft.com/en-us/azure/active-directory-b2c/configure-tokens'],
    options: { issuer: 'https://login.acme.example/acme.onmicrosoft.com/b2c_1_sign_in/v2.0' },
    metadata: {
      issuer: `https://login.acme.example/${TENANT}/v2.0/`,
      authorization_endpoint: 'https://login.acme.example/authorize',
      token_endpoint: 'https://login.acme.example/token',
      jwks_uri: 'https://login.acme.example/keys',
    },
    claims: {},
    refused: {
      code: 'LATCHKEY_PROVIDER_INVALID',
      says: new RegExp(`https://login\\.acme\\.example/${TENANT}/v2\\.0/`),
    },
  },
  {
    name: 'LinkedIn, which knows no PKCE',
    sources: [
      'https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2',
      'https://github.com/nextauthjs/next-auth/issues/8831',
    ],
    options: { issuer: 'https://www.linkedin.com/oauth' },
    metadata: linkedinMetadata(),
    claims: { email: EMAIL },
    change: {
      token: (answer, body) =>
        body.has('code_verifier')
          ? { status: 401, body: { error: 'invalid_client' } }
          : { body: answer },
    },
    refused: { code: 'LATCHKEY_CODE_REFUSED', says: /invalid_client.*PKCE/ },
  },
  {
    name: 'LinkedIn with PKCE, which sends no nonce',
    sources: ['https://github.com/authlib/authlib/issues/763'],
    options: { issuer: 'https://www.linkedin.com/oauth' },
    metadata: linkedinMetadata(),
    claims: { email: EMAIL, nonce: undefined },
    refused: { code: 'LATCHKEY_TOKEN_INVALID', says: /nonce/ },
  },
  {
    name: 'LINE, which signs with the channel secret',
    sources: ['https://developers.line.biz/en/docs/line-login/verify-id-token/'],
    options: { issuer: 'https://access.line.me' },
    metadata: {
      issuer: 'https://access.line.me',
      authorization_endpoint: 'https://access.line.me/oauth2/v2.1/authorize',
      token_endpoint: 'https://api.line.me/oauth2/v2.1/token',
      jwks_uri: 'https://api.line.me/oauth2/v2.1/certs',
      userinfo_endpoint: 'https://api.line.me/oauth2/v2.1/userinfo',
      id_token_signing_alg_values_supported: ['ES256'],
    },
    claims: {},
    signsWithSecret: true,
    refused: {
      code: 'LATCHKEY_TOKEN_INVALID',
      says: /signed with "HS256", and the discovery document of the provider names ES256/,
    },
  },
  {
    name: 'GitHub, which has no ID tokens',
    sources: [
      'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
    ],
    options: { issuer: 'https://github.com' },
    hasDiscovery: false,
    metadata: {
      issuer: 'https://github.com',
      authorization_endpoint: 'https://github.com/login/oauth/authorize',
      token_endpoint: 'https://github.com/login/oauth/access_token',
      jwks_uri: 'https://github.com/none',
    },
    claims: {},
    refused: {
      code: 'LATCHKEY_PROVIDER_INVALID',
      says: /no usable discovery document at https:\/\/github\.com\/\.well-known\//,
    },
  },
  {
    name: 'Facebook, whose document names no token endpoint',
    sources: [
      'https://developers.facebook.com/documentation/facebook-login/guides/advanced/oidc-token',
      'https://developers.facebook.com/docs/facebook-login/limited-login/token/',
    ],
    options: { issuer: 'https://www.facebook.com' },
    metadata: {
      issuer: 'https://www.facebook.com',
      authorization_endpoint: 'https://facebook.com/dialog/oauth/',
      jwks_uri: 'https://www.facebook.com/.well-known/oauth/openid/jwks/',
    },
    claims: {},
    refused: { code: 'LATCHKEY_PROVIDER_INVALID', says: /"token_endpoint"/ },
  },
  {
    name: 'PayPal, which signs with the secret',
    sources: ['https://www.paypalobjects.com/.well-known/openid-configuration'],
    options: { issuer: 'https://www.paypal.com' },
    metadata: {
      issuer: 'https://www.paypal.com',
      authorization_endpoint: 'https://www.paypal.com/signin/authorize',
      token_endpoint: 'https://api.paypal.com/v1/oauth2/token',
      jwks_uri: 'https://api.paypal.com/v1/oauth2/certs',
      userinfo_endpoint: 'https://api.paypal.com/v1/oauth2/token/userinfo',
      id_token_signing_alg_values_supported: ['HS256', 'RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    },
    claims: {},
    signsWithSecret: true,
    refused: { code: 'LATCHKEY_TOKEN_INVALID', says: /"HS256"/ },
  },
]

function linkedinMetadata(): Vendor['metadata'] {
  return {
    issuer: 'https://www.linkedin.com/oauth',
    authorization_endpoint: 'https://www.linkedin.com/oauth/v2/authorization',
    token_endpoint: 'https://www.linkedin.com/oauth/v2/accessToken',
    jwks_uri: 'https://www.linkedin.com/oauth/openid/jwks',
    userinfo_endpoint: 'https://api.linkedin.com/v2/userinfo',
  }
}
