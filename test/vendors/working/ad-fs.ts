import * as options from '../../../examples/guides/src/providers/ad-fs.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
