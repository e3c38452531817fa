import * as options from '../../../examples/guides/src/providers/twitch.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
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
