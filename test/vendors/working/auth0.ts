import * as options from '../../../examples/guides/src/providers/auth0.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
