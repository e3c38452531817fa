import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../../clock.ts'

/** The TOTP parameters that every authenticator app supports. @see RFC 6238 §1.2 */
export const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/**
 * The number of time steps before and after the current one whose codes are accepted, because
 * clocks of phones are not exact.
 */
const WINDOW = 1

/** The size of a seed, in bytes: 160 bits, as RFC 4226 §4 recommends. */
const SEED_BYTES = 20

/** Makes a random seed, in base32. */
export function newSeed(): string {
  return new Secret({ size: SEED_BYTES }).base32
}

/** The `otpauth:` URI that authenticator apps read from a QR code. */
export function totpUri(seed: string, company: string, label: string): string {
  return totp(seed, company, label).toString()
}

/**
 * The time step of `code`, if this is the current step or an adjacent one; otherwise `undefined`.
 * White space in `code` is ignored.
 *
 * @see RFC 6238 §5.2
 */
export function stepOf(seed: string, code: string, clock: Clock): number | undefined {
  const token = code.replace(/\s/g, '')
  // The library throws for digits other than ASCII.
  if (!/^[0-9]{6}$/.test(token)) return undefined
  const timestamp = clock.now()
  const delta = totp(seed).validate({ token, timestamp, window: WINDOW })
  if (delta === null) return undefined
  return Math.floor(timestamp / 1000 / totpParameters.period) + delta
}

/**
 * The code that an app with this seed shows.
 *
 * @param ahead - The number of time steps from the current one.
 */
export function codeAt(seed: string, clock: Clock, ahead = 0): string {
  return totp(seed).generate({ timestamp: clock.now() + ahead * totpParameters.period * 1000 })
}

function totp(seed: string, issuer = '', label = ''): TOTP {
  return new TOTP({ ...totpParameters, secret: Secret.fromBase32(seed), issuer, label })
}
