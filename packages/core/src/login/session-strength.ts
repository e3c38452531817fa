import { MIN_MAX_AGE_SECONDS } from '../provider/clock.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'

/** The strength and age that a requirement asks of a login. */
export interface AskedStrength {
  /** The accepted authentication contexts. The login must have one of them. */
  readonly acr?: string | readonly string[] | undefined
  /** The most seconds since the user authenticated at the provider. */
  readonly maxAge?: number | undefined
}

/**
 * The session if it began with this provider and client; otherwise `undefined`, because a session
 * is not valid for another provider.
 */
export function sessionAt(
  provider: Provider,
  found: AuthSession | undefined,
): AuthSession | undefined {
  return found?.registeredIssuer === provider.issuer && found.clientId === provider.clientId
    ? found
    : undefined
}

/**
 * The first part of a requirement that a login does not meet: `acr` or `maxAge`; `undefined` if it
 * meets both. A login without `authTime` meets no `maxAge`.
 */
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

/** The accepted authentication contexts as a list; `undefined` if there is no requirement. */
export function listOf(acr: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof acr === 'string' ? [acr] : acr
}
