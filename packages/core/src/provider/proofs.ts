import type { webcrypto } from 'node:crypto'
import type { DPoPHandle } from 'oauth4webapi'
import { remember } from '../shared/records.ts'
import type { OAuthCall } from './oauth.ts'

/**
 * Proofs that the application has the keys of its access tokens. Nonces are kept for all sessions, so
 * that a server has to ask for one only once in a while.
 *
 * @see RFC 9449 §4, §8, §9
 */
export interface Proofs {
  /** Makes a key of P-256: a private JWK, as text. */
  makeKey(): Promise<string>
  /** The handle by which oauth4webapi proves a key. Without a key, there is none. */
  handle(
    call: Pick<OAuthCall, 'oauth' | 'client'>,
    key: string | undefined,
  ): Promise<DPoPHandle | undefined>
  /** Remembers the nonce of a response, if it has one. */
  note(url: string, headers: Iterable<readonly [name: string, value: string]>): void
}

const MAX_ORIGINS = 1_000
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Makes the proofs of one provider. */
export function createProofs(): Proofs {
  const nonces = new Map<string, string>()
  return {
    async makeKey() {
      const { subtle } = globalThis.crypto
      const pair = await subtle.generateKey(P256, true, ['sign', 'verify'])
      const { kty, crv, x, y, d } = await subtle.exportKey('jwk', pair.privateKey)
      return JSON.stringify({ kty, crv, x, y, d })
    },

    async handle({ oauth, client }, key) {
      if (key === undefined) return undefined
      const { d, ...open } = JSON.parse(key) as webcrypto.JsonWebKey
      const { subtle } = globalThis.crypto
      const [privateKey, publicKey] = await Promise.all([
        subtle.importKey('jwk', { ...open, d } as webcrypto.JsonWebKey, P256, false, ['sign']),
        subtle.importKey('jwk', open, P256, true, ['verify']),
      ])
      return oauth.DPoP(
        client,
        { privateKey, publicKey },
        {
          [oauth.modifyAssertion](_header, payload) {
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
