import type { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import { LatchkeyError, ProviderError } from './errors.ts'

/** The error of the kit among the causes of an error of openid-client, if there is one. */
export function kitCause(error: unknown): LatchkeyError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LatchkeyError) return cause
  }
  return undefined
}

/** Whether a call failed because the provider did not answer, rather than for what it answered. */
export function isUnavailable(error: unknown): boolean {
  const code = (error as { code?: string } | undefined)?.code
  return code === 'OAUTH_TIMEOUT' || kitCause(error)?.code === 'LATCHKEY_PROVIDER_UNAVAILABLE'
}

/** Whether the provider answered a call with an OAuth error (RFC 6749 §5.2). */
export function isResponseBodyError(error: unknown): error is ResponseBodyError {
  return codeOf(error) === 'OAUTH_RESPONSE_BODY_ERROR'
}

/** Whether the provider sent the visitor back with an error (RFC 6749 §4.1.2.1). */
export function isAuthorizationResponseError(error: unknown): error is AuthorizationResponseError {
  return codeOf(error) === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'
}

/** Told by their codes: their classes would load openid-client before it is needed. */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code
}

/**
 * Turns what openid-client throws into an error of the kit. Its causes are left behind where they
 * hold a response or its parameters: those may carry tokens.
 */
export function providerError(error: unknown, what: string): LatchkeyError {
  const known = kitCause(error)
  if (known) return known
  if (isUnavailable(error)) {
    return new ProviderError(
      'LATCHKEY_PROVIDER_UNAVAILABLE',
      'The provider did not answer in time.',
    )
  }
  const detail = isResponseBodyError(error) ? ` (${printable(error.error)})` : ''
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', `The provider ${what}${detail}.`)
}

/** A provider's error code as it may appear in a message: what RFC 6749 §5.2 allows, cut short. */
export function printable(code: unknown): string {
  return String(code)
    .replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')
    .slice(0, 60)
}
