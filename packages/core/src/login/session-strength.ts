import { MIN_MAX_AGE_SECONDS } from '../provider/clock.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'

/** The strength and the age that a login must have. */
export interface AskedStrength {
  /** Ways of authentication, any of which will do. */
  readonly acr?: string | readonly string[] | undefined
  /** The most seconds since the user proved who they are. */
  readonly maxAge?: number | undefined
}

/** A session, if it was made with this provider: it counts for no other. */
export function sessionAt(
  provider: Provider,
  found: AuthSession | undefined,
): AuthSession | undefined {
  return found?.registeredIssuer === provider.issuer && found.clientId === provider.clientId
    ? found
    : undefined
}

/** The part of a requirement that asks for a stronger or a more recent login than this one. */
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

/** One value or several, as a list. */
export function listOf(acr: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof acr === 'string' ? [acr] : acr
}
