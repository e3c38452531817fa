import * as options from '../../../examples/guides/src/providers/google.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
]
