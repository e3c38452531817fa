import * as options from '../../../examples/guides/src/providers/zitadel.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
