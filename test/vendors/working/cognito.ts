import * as options from '../../../examples/guides/src/providers/cognito.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

export const vendors: readonly Vendor[] = [
  {
    name: 'Amazon Cognito',
    sources: [
      'https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html',
      'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html',
    ],
    options: options.cognito,
    metadata: {
      issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI',
      authorization_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/authorize',
      token_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/token',
      jwks_uri:
        'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI/.well-known/jwks.json',
      userinfo_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/oauth2/userInfo',
      end_session_endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/logout',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    claims: {
      token_use: 'id',
      email: EMAIL,
      'cognito:username': 'ada',
      'cognito:groups': ['admin'],
    },
    user: { email: EMAIL, 'cognito:groups': ['admin'] },
    role: 'admin',
    clientAuth: 'basic',
    logout: {
      endpoint: 'https://acme.auth.eu-central-1.amazoncognito.com/logout',
      parameters: ['client_id', 'logout_uri'],
      leftOut: ['post_logout_redirect_uri', 'id_token_hint'],
    },
  },
]
