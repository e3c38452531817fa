import * as options from '../../../examples/guides/src/providers/authentik.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
