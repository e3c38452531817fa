import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../../clock.ts'
import type { JwtParts } from '../../requests/jwt-parts.ts'
import { isFapi } from './client-policy.ts'

/** How many seconds the clock of a client may be ahead. */
const MAX_AHEAD_SECONDS = 60

/** The longest lifetime of a client assertion. */
const MAX_ASSERTION_SECONDS = 600

/**
 * How many seconds the time of a DPoP proof may differ from ours, as oidc-provider requires of a proof without a nonce.
 */
const PROOF_SECONDS = 300

/**
 * Refuses a client assertion that is also for other issuers, is dated in the future, or is valid
 * for too long. oidc-provider has already checked the signature, `nbf` and `exp`.
 *
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
 * Refuses a verified DPoP proof with critical header parameters. With the FAPI 2.0 profile, its time must agree with
 * ours, even with a nonce; other clients get nonces because their clocks may be wrong.
 *
 * @returns Until when the proof would be accepted, in seconds since the epoch.
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
  // A proof with a nonce is accepted for less time than that, even if its own time is later.
  return Math.min(iat, now + PROOF_SECONDS) + PROOF_SECONDS
}
