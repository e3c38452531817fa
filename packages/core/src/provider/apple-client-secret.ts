import { createPrivateKey, sign } from 'node:crypto'

/** The key for "Sign in with Apple", and its identifiers. */
export interface AppleKey {
  /** The team id: ten characters, on the membership page of the developer account. */
  readonly teamId: string
  /** The identifier of the Services ID, as in the option `clientId`. */
  readonly clientId: string
  /** The key id: ten characters, on the page of the key. */
  readonly keyId: string
  /** The contents of the `.p8` file. */
  readonly privateKey: string
}

const LIFETIME_SECONDS = 3600
const RENEW_SECONDS = 600

/**
 * Makes Apple's client secrets: JWTs that are signed with a key of the developer account. Pass the
 * result as the option `clientSecret`. A secret is valid for an hour and replaced ten minutes
 * before it expires.
 *
 * @throws an error at once if the key is not a P-256 private key.
 */
export function appleClientSecret({ teamId, clientId, keyId, privateKey }: AppleKey): () => string {
  const key = createPrivateKey(privateKey)
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new TypeError('"privateKey" must be a P-256 key: the contents of the .p8 file from Apple')
  }
  const header = encode({ alg: 'ES256', kid: keyId })
  let secret = ''
  let expiresAt = 0
  return () => {
    const now = Math.floor(Date.now() / 1000)
    const left = expiresAt - now
    if (left > RENEW_SECONDS && left <= LIFETIME_SECONDS) return secret
    expiresAt = now + LIFETIME_SECONDS
    const claims = { iss: teamId, sub: clientId, aud: 'https://appleid.apple.com' }
    const signed = `${header}.${encode({ ...claims, iat: now, exp: expiresAt })}`
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    secret = `${signed}.${signature.toString('base64url')}`
    return secret
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
