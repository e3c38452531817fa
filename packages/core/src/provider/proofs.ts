import type { webcrypto } from 'node:crypto'
import type { Configuration, DPoPHandle } from 'openid-client'
import { OldestFirst, remember } from '../shared/oldest-first.ts'
import type { OpenidClient } from './openid-client.ts'

/**
 * DPoP proofs that the application possesses the keys of its access tokens. All sessions share the
 * nonces of a server, so that a server rarely has to ask for one.
 *
 * @see RFC 9449 §4, §8, §9
 */
export interface Proofs {
  /** Makes a P-256 key. Resolves to the private JWK as text. */
  makeKey(): Promise<string>
  /**
   * The handle with which openid-client makes proofs by a key, with the nonce that the server asked
   * for.
   */
  handle(client: OpenidClient, configuration: Configuration, key: string): Promise<DPoPHandle>
  /** Stores the nonce of a response, if it has one. */
  note(url: string, headers: Iterable<readonly [name: string, value: string]>): void
}

const MAX_ORIGINS = 1_000
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Makes the {@link Proofs} of one provider. */
export function createProofs(): Proofs {
  const nonces = new OldestFirst<string, string>()
  return {
    async makeKey() {
      const { subtle } = globalThis.crypto
      const pair = await subtle.generateKey(P256, true, ['sign', 'verify'])
      const { kty, crv, x, y, d } = await subtle.exportKey('jwk', pair.privateKey)
      return JSON.stringify({ kty, crv, x, y, d })
    },

    async handle(client, configuration, key) {
      const { d, ...open } = JSON.parse(key) as webcrypto.JsonWebKey
      const { subtle } = globalThis.crypto
      const [privateKey, publicKey] = await Promise.all([
        subtle.importKey('jwk', { ...open, d } as webcrypto.JsonWebKey, P256, false, ['sign']),
        subtle.importKey('jwk', open, P256, true, ['verify']),
      ])
      return client.getDPoPHandle(
        configuration,
        { privateKey, publicKey },
        {
          [client.modifyAssertion](_header, payload) {
            payload.nonce ??= nonces.get(new URL(String(payload.htu)).origin)
          },
        },
      )
    },

    note(url, headers) {
      for (const [name, value] of headers) {
        if (name.toLowerCase() === 'dpop-nonce')
          remember(nonces, new URL(url).origin, value, MAX_ORIGINS)
      }
    },
  }
}
