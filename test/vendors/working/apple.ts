import { generateKeyPairSync } from 'node:crypto'
import * as options from '../../../examples/guides/src/providers/apple.ts'
import { EMAIL } from '../person.ts'
import type { Vendor } from '../vendor.ts'

const applePrivateKey = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey

export const vendors: readonly Vendor[] = [
  {
    name: 'Sign in with Apple',
    sources: [
      'https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple',
      'https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret',
    ],
    options: options.apple(applePrivateKey),
    metadata: {
      issuer: 'https://appleid.apple.com',
      authorization_endpoint: 'https://appleid.apple.com/auth/authorize',
      token_endpoint: 'https://appleid.apple.com/auth/token',
      jwks_uri: 'https://appleid.apple.com/auth/keys',
      response_modes_supported: ['query', 'fragment', 'form_post'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    },
    claims: { email: EMAIL, email_verified: 'true', nonce_supported: true },
    user: { email: EMAIL, email_verified: true },
    request: { response_mode: 'form_post', scope: 'openid name email' },
    clientAuth: 'post',
    clientSecret: /^ey[\w-]+\.[\w-]+\.[\w-]+$/,
  },
]
