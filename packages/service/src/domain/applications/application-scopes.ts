import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { wordsOf } from '../writes/rules.ts'

/** The metadata key of an application with the scopes that it may request. */
export const SCOPES_KEY = 'latchkey_scopes'

/** Every scope that the issuer knows. */
export const knownScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/**
 * Checks the scopes that an application may request. They must be known and include `openid`. A
 * value that is already stored may stay.
 *
 * @throws ServiceError `invalid_metadata`.
 */
export function checkNewScopes(metadata: Metadata, stored: Metadata | undefined): void {
  const value = metadata[SCOPES_KEY]
  if (value === undefined || value === stored?.[SCOPES_KEY]) return
  const scopes = wordsOf(value)
  const unknown = scopes.find((scope) => !knownScopes.includes(scope))
  if (unknown !== undefined) {
    throw new ServiceError(
      'invalid_metadata',
      reason('scopes_unknown', {
        key: SCOPES_KEY,
        scope: unknown,
        scopes: knownScopes.join(', '),
      }),
    )
  }
  if (!scopes.includes('openid')) {
    throw new ServiceError('invalid_metadata', reason('scopes_without_openid', { key: SCOPES_KEY }))
  }
}

/**
 * The scopes that an application may request, always with `openid`; `undefined` if all are allowed.
 * Unknown scopes are left out, because an old value may be from before this key had a meaning.
 */
export function allowedScopes(metadata: Metadata): string[] | undefined {
  const value = metadata[SCOPES_KEY]
  if (value === undefined) return undefined
  const allowed = wordsOf(value).filter((scope) => knownScopes.includes(scope))
  return [...new Set(['openid', ...allowed])]
}
