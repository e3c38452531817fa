import type { KeyObject, webcrypto } from 'node:crypto'
import type { ClientAuth as Authenticate, ServerMetadata } from 'openid-client'
import { loadOpenidClient } from './openid-client.ts'
import type { ClientAuth } from './options.ts'

/** What the client can prove itself with. */
export interface ClientCredentials {
  readonly method: ClientAuth | undefined
  readonly secret: string | undefined
  readonly key: KeyObject | undefined
}

/** How requests to the token endpoint are authenticated (OIDC Core 1.0 §9). */
export async function clientAuthentication(
  { method, secret, key }: ClientCredentials,
  metadata: ServerMetadata,
): Promise<Authenticate> {
  const client = await loadOpenidClient()
  switch (method ?? preferredMethod(metadata, secret)) {
    case 'client_secret_post':
      return client.ClientSecretPost(secret ?? '')
    case 'client_secret_basic':
      return basic(secret ?? '')
    case 'private_key_jwt':
      return client.PrivateKeyJwt(await importKey(key as KeyObject))
    case 'none':
      return client.None()
  }
}

/**
 * Basic credentials, encoded as forms are (RFC 6749 §2.3.1). That leaves letters, digits and `* - . _`
 * as they are, so providers that forget to decode accept most secrets. openid-client encodes those too.
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

function preferredMethod(metadata: ServerMetadata, secret: string | undefined): ClientAuth {
  if (secret === undefined) return 'none'
  const known = metadata.token_endpoint_auth_methods_supported
  if (!known || known.includes('client_secret_basic')) return 'client_secret_basic'
  return known.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic'
}

function importKey(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const algorithm = {
    rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    ec: { name: 'ECDSA', namedCurve: 'P-256' },
    ed25519: { name: 'Ed25519' },
  }[key.asymmetricKeyType as 'rsa' | 'ec' | 'ed25519']
  const jwk = key.export({ format: 'jwk' }) as webcrypto.JsonWebKey
  return globalThis.crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
}
