import { MIN_MAX_AGE_SECONDS } from '../provider/clock.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'

/** The strength and age that a requirement asks of a login. */
export interface AskedStrength {
  /** The accepted authentication contexts, of which one is enough. */
  readonly acr?: string | readonly string[] | undefined
  /** The age of the login at most, in seconds since the user proved who they are. */
  readonly maxAge?: number | undefined
}

/**
 * The session, if it was made with this provider; `undefined` otherwise, because it is valid for no
 * other.
 */
export function sessionAt(
  provider: Provider,
  found: AuthSession | undefined,
): AuthSession | undefined {
  return found?.registeredIssuer === provider.issuer && found.clientId === provider.clientId
    ? found
    : undefined
}

/** The part of a requirement for which the login is too weak or too old: `acr` or `maxAge`. */
export function weaknessOf(
  found: Pick<AuthSession, 'acr' | 'authTime'>,
  { acr, maxAge }: AskedStrength,
  now: number,
): 'acr' | 'maxAge' | undefined {
  if (acr !== undefined && !listOf(acr)?.includes(found.acr ?? '')) return 'acr'
  if (maxAge === undefined) return undefined
  const isRecent =
    found.authTime !== undefined && now - found.authTime <= Math.max(maxAge, MIN_MAX_AGE_SECONDS)
  return isRecent ? undefined : 'maxAge'
}

/** A list of the values. */
export function listOf(acr: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof acr === 'string' ? [acr] : acr
}
