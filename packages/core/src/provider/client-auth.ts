import type { KeyObject, webcrypto } from 'node:crypto'
import type { ClientAuth as Authenticate, ServerMetadata } from 'openid-client'
import { LatchkeyError } from '../errors/errors.ts'
import type { ClientAssertionOptions, ClientAuth, ClientSecret } from '../options/options.ts'
import { printable } from './errors.ts'
import { loadOpenidClient } from './openid-client.ts'

/** The settings by which the client authenticates at the token endpoint. */
export interface ClientCredentials {
  readonly method: ClientAuth | undefined
  readonly secret: ClientSecret | undefined
  readonly key: KeyObject | undefined
  readonly assertion: ClientAssertionOptions
}

/** The authentication of requests to the token endpoint (OIDC Core 1.0 §9). */
export async function clientAuthentication(
  { method, secret, key, assertion }: ClientCredentials,
  metadata: ServerMetadata,
): Promise<Authenticate> {
  const client = await loadOpenidClient()
  switch (method ?? preferredMethod(metadata, secret)) {
    case 'client_secret_post':
      return withSecret(secret, client.ClientSecretPost)
    case 'client_secret_basic':
      return withSecret(secret, basic)
    case 'private_key_jwt':
      return privateKeyJwt(key as KeyObject, assertion, metadata)
    case 'none':
      return client.None()
  }
}

/** Authentication with a secret. If the secret is a function, it is called for every exchange. */
function withSecret(
  secret: ClientSecret | undefined,
  authenticate: (secret: string) => Authenticate,
): Authenticate {
  if (typeof secret !== 'function') return authenticate(secret ?? '')
  // openid-client awaits the result, as it does for private_key_jwt.
  const authenticateLater: (...request: Parameters<Authenticate>) => unknown = async (
    ...request
  ) => {
    const made = await Promise.resolve()
      .then(secret)
      .catch((error) => {
        if (error instanceof LatchkeyError) throw error
        const message = `The function "clientSecret" failed: ${printable((error as Error).message, 200)}.`
        throw new LatchkeyError('LATCHKEY_CONFIG_INVALID', message)
      })
    await authenticate(made)(...request)
  }
  return authenticateLater
}

/**
 * HTTP Basic authentication with form-encoded credentials (RFC 6749 §2.3.1). Form encoding does not
 * change letters, digits and `* - . _`, so most secrets also work at providers that forget to
 * decode. openid-client encodes `* - . _` too.
 */
function basic(secret: string): Authenticate {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = `${formEncoded(clientId)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function preferredMethod(metadata: ServerMetadata, secret: ClientSecret | undefined): ClientAuth {
  if (secret === undefined) return 'none'
  const known = metadata.token_endpoint_auth_methods_supported
  const takesPost = known?.includes('client_secret_post')
  if (known && !known.includes('client_secret_basic') && takesPost) return 'client_secret_post'
  // Some providers do not decode Basic credentials, and discovery does not tell. A secret that
  // encoding would change is therefore sent in the body.
  const isEncoded = typeof secret === 'string' && formEncoded(secret) !== secret
  return takesPost && isEncoded ? 'client_secret_post' : 'client_secret_basic'
}

/**
 * Authentication with a JWT that the client signs (`private_key_jwt`).
 *
 * @see RFC 7523 §2.2, §3
 */
async function privateKeyJwt(
  key: KeyObject,
  { keyId, audience, algorithm }: ClientAssertionOptions,
  metadata: ServerMetadata,
): Promise<Authenticate> {
  const client = await loadOpenidClient()
  const imported = await importKey(key, algorithm)
  return client.PrivateKeyJwt(keyId === undefined ? imported : { key: imported, kid: keyId }, {
    [client.modifyAssertion](header, payload) {
      if (algorithm) header.alg = algorithm
      if (audience === 'token_endpoint') payload.aud = metadata.token_endpoint ?? ''
    },
  })
}

function importKey(
  key: KeyObject,
  algorithm: ClientAssertionOptions['algorithm'],
): Promise<webcrypto.CryptoKey> {
  const parameters = {
    rsa: { name: algorithm === 'PS256' ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    ec: { name: 'ECDSA', namedCurve: 'P-256' },
    ed25519: { name: 'Ed25519' },
  }[key.asymmetricKeyType as 'rsa' | 'ec' | 'ed25519']
  const jwk = key.export({ format: 'jwk' }) as webcrypto.JsonWebKey
  return globalThis.crypto.subtle.importKey('jwk', jwk, parameters, false, ['sign'])
}
