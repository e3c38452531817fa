import { hash } from 'node:crypto'
import { type Client, Provider } from 'oidc-provider'
import { type JwtParts, jwtParts } from '../requests/jwt-parts.ts'
import { replace } from './replace.ts'

type Unique = (this: object, issuer: string, id: string, expiresAt: number) => Promise<boolean>

/**
 * Replaces the replay cache of client assertions and DPoP proofs. oidc-provider reads first and
 * writes later, so that two requests at once would both pass.
 *
 * @param isFirst - Returns whether no request has used the id before, and records its use for
 *   `seconds`.
 */
export function useOnce(
  provider: Provider,
  isFirst: (id: string, seconds: number) => Promise<boolean>,
): void {
  const once: Unique = (issuer, id, expiresAt) =>
    isFirst(
      hash('sha256', `${issuer} ${id}`, 'base64url'),
      Math.max(1, Math.ceil(expiresAt - Date.now() / 1_000)),
    )
  replace(provider, 'ReplayDetection.unique', once)
}

/**
 * Calls `judge` for each DPoP proof that is verified. oidc-provider does not check the time of a
 * proof with a nonce. Call this function after {@link useOnce}.
 *
 * @param judge - Throws to refuse the proof. Returns the time until which the proof must be
 *   remembered as used, in seconds since the epoch. oidc-provider would forget a proof dated in the
 *   future before the proof expires.
 */
export function judgeProofs(
  provider: Provider,
  judge: (proof: JwtParts, client: Client | undefined) => number,
): void {
  const unique: Unique = replace(
    provider,
    'ReplayDetection.unique',
    async function (issuer, id, expiresAt) {
      const proof = jwtParts(Provider.ctx?.get('dpop') ?? '')
      // Client assertions use the same cache.
      if (proof.claims.jti !== id) return unique.call(this, issuer, id, expiresAt)
      const until = judge(proof, await provider.Client.find(issuer))
      return unique.call(this, issuer, id, Math.max(expiresAt, until))
    },
  )
}
