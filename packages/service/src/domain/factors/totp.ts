import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../../clock.ts'

/** The parameters that every authenticator app supports. @see RFC 6238 §1.2 */
export const totpParameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/**
 * The number of steps before and after the current one that are accepted, because clocks of phones
 * are not exact.
 */
const WINDOW = 1

/** The size of a seed, in bytes: the 160 bits of RFC 4226 §4. */
const SEED_BYTES = 20

/** A new seed, as base32. */
export function newSeed(): string {
  return new Secret({ size: SEED_BYTES }).base32
}

/** The address that authenticator apps read from a QR code. */
export function totpUri(seed: string, company: string, label: string): string {
  return totp(seed, company, label).toString()
}

/**
 * The time step of `code`, if it is the present step or an adjacent one; otherwise `undefined`. White space is ignored.
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
 * @param ahead - The number of steps from the present one.
 */
export function codeAt(seed: string, clock: Clock, ahead = 0): string {
  return totp(seed).generate({ timestamp: clock.now() + ahead * totpParameters.period * 1000 })
}

function totp(seed: string, issuer = '', label = ''): TOTP {
  return new TOTP({ ...totpParameters, secret: Secret.fromBase32(seed), issuer, label })
}
