import * as options from '../../../examples/guides/src/providers/azure-ad-b2c.ts'
import { TENANT } from '../entra.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
