import * as options from '../../../examples/guides/src/providers/okta.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
