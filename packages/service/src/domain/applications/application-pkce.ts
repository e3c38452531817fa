import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'

/** The key of an application's metadata that says whether its logins need PKCE. */
export const PKCE_KEY = 'latchkey_pkce'

const VALUES: readonly (string | undefined)[] = [undefined, 'required', 'optional']

/** Refuses what is neither `required` nor `optional`. A value that is stored already may stay. */
export function checkNewPkce(metadata: Metadata, stored: Metadata | undefined): void {
  const value = metadata[PKCE_KEY]
  if (value === stored?.[PKCE_KEY] || VALUES.includes(value)) return
  throw new ServiceError(
    'invalid_metadata',
    `"metadata.${PKCE_KEY}" is "${value}"; it must be "required", which is the default, or "optional".`,
  )
}

/** Whether the application may log users in without PKCE, when it sends a nonce. */
export function isPkceOptional(metadata: Metadata): boolean {
  return metadata[PKCE_KEY] === 'optional'
}
