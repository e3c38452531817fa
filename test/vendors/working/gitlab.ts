import * as options from '../../../examples/guides/src/providers/gitlab.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
