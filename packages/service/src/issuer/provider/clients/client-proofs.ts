import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../../clock.ts'
import type { JwtParts } from '../../requests/jwt-parts.ts'
import { isFapi } from './client-policy.ts'

/** The maximum number of seconds by which a client's clock may be ahead. */
const MAX_AHEAD_SECONDS = 60

/** The maximum time until a client assertion expires, in seconds. */
const MAX_ASSERTION_SECONDS = 600

/**
 * The maximum difference between the `iat` of a DPoP proof and the service's clock, in seconds.
 * oidc-provider has the same limit for a proof without a nonce.
 */
const PROOF_SECONDS = 300

/**
 * Refuses a client assertion that is also for other issuers, has critical header parameters, is
 * dated in the future, or is valid for too long. oidc-provider has already checked the signature,
 * `nbf` and `exp`.
 *
 * @throws InvalidClientAuth
 * @see FAPI 2.0 Security Profile §5.3.2.1, RFC 7523 §3
 */
export function checkAssertion(ctx: KoaContextWithOIDC, parts: JwtParts, clock: Clock): void {
  const { header, claims } = parts
  const now = clock.now() / 1_000
  if (claims.aud !== ctx.oidc.issuer) {
    throw new errors.InvalidClientAuth('"aud" must be the issuer, and no list')
  }
  if (header.crit !== undefined) {
    throw new errors.InvalidClientAuth('critical header parameters ("crit") are not supported')
  }
  if (typeof claims.iat === 'number' && claims.iat > now + MAX_AHEAD_SECONDS) {
    throw new errors.InvalidClientAuth(
      `"iat" is more than ${MAX_AHEAD_SECONDS} seconds in the future`,
    )
  }
  if (Number(claims.exp) > now + MAX_ASSERTION_SECONDS + MAX_AHEAD_SECONDS) {
    throw new errors.InvalidClientAuth(
      `"exp" is more than ${MAX_ASSERTION_SECONDS} seconds in the future`,
    )
  }
}

/**
 * Refuses a verified DPoP proof with critical header parameters. With the FAPI 2.0 profile, also
 * refuses an `iat` that differs too much from the service's clock, even with a nonce. Other clients
 * get nonces because their clocks may be wrong.
 *
 * @returns The time until which the proof could be used again, in seconds since the epoch.
 * @throws InvalidDpopProof
 * @see FAPI 2.0 Security Profile §5.3.2.1, RFC 9449 §4.3, §11.1
 */
export function checkProof(
  { header, claims }: JwtParts,
  client: Client | undefined,
  clock: Clock,
): number {
  const now = clock.now() / 1_000
  const iat = Number(claims.iat)
  if (header.crit !== undefined) {
    throw new errors.InvalidDpopProof('critical header parameters ("crit") are not supported')
  }
  if (isFapi(client) && iat > now + MAX_AHEAD_SECONDS) {
    throw new errors.InvalidDpopProof(
      `"iat" is more than ${MAX_AHEAD_SECONDS} seconds in the future`,
    )
  }
  if (isFapi(client) && iat < now - PROOF_SECONDS) {
    throw new errors.InvalidDpopProof(`"iat" is more than ${PROOF_SECONDS} seconds ago`)
  }
  // A later `iat` is accepted only with a nonce, and the nonce expires before the returned time.
  return Math.min(iat, now + PROOF_SECONDS) + PROOF_SECONDS
}
