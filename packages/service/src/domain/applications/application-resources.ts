import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { wordsOf } from '../writes/rules.ts'

/** The key of an application's metadata that names the APIs it may ask access tokens for. */
export const RESOURCES_KEY = 'latchkey_resources'

/**
 * Refuses names that no request could have. A value that is stored already may stay.
 *
 * @see RFC 8707 §2
 */
export function checkNewResources(metadata: Metadata, stored: Metadata | undefined): void {
  const value = metadata[RESOURCES_KEY]
  if (value === undefined || value === stored?.[RESOURCES_KEY]) return
  const wrong = wordsOf(value).find((name) => !isResource(name))
  if (wrong === undefined) return
  throw new ServiceError(
    'invalid_metadata',
    `"metadata.${RESOURCES_KEY}" contains "${wrong}", which is not an absolute URI without a fragment; use some such as https://api.example.com, with spaces between them.`,
  )
}

/** The APIs that an application may ask access tokens for, as they are compared: character by character. */
export function resourcesOf(metadata: Metadata): string[] {
  return wordsOf(metadata[RESOURCES_KEY] ?? '').filter(isResource)
}

function isResource(name: string): boolean {
  return URL.canParse(name) && !name.includes('#')
}
