import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { wordsOf } from '../writes/rules.ts'
import { isResource, isScope, membersOf } from './application-api.ts'

/** The key of an application's metadata that names the APIs it may ask access tokens for. */
export const RESOURCES_KEY = 'latchkey_resources'

/** An API that an application may ask access tokens for. */
export interface Resource {
  /** The identifier of the API. It is compared character by character. */
  readonly name: string
  /** The scopes that the application may ask for. Default: all that the API has. */
  readonly scopes?: readonly string[]
}

/**
 * Refuses names and scopes that no request could have. A value that is stored already may stay.
 *
 * @see RFC 8707 §2, RFC 6749 §3.3
 */
export function checkNewResources(metadata: Metadata, stored: Metadata | undefined): void {
  const value = metadata[RESOURCES_KEY]
  if (value === undefined || value === stored?.[RESOURCES_KEY]) return
  const members = isObject(value) ? membersOf(value) : {}
  if (!members) {
    refuse(reason('resources_not_json', { key: RESOURCES_KEY }))
  }
  const names = isObject(value) ? Object.keys(members) : wordsOf(value)
  const wrong = names.find((name) => !isResource(name))
  if (wrong !== undefined) {
    refuse(reason('resources_not_uri', { key: RESOURCES_KEY, value: wrong }))
  }
  for (const [name, scopes] of Object.entries(members)) {
    if (typeof scopes !== 'string') {
      refuse(reason('resources_no_text', { key: RESOURCES_KEY, name }))
    }
    const bad = wordsOf(scopes).find((word) => !isScope(word))
    if (bad === undefined) continue
    refuse(reason('resources_not_scope', { key: RESOURCES_KEY, scope: bad, name }))
  }
}

/**
 * The APIs that an application may ask access tokens for. The metadata has their names with spaces between them, or a
 * JSON object with the scopes of each.
 */
export function resourcesOf(metadata: Metadata): Resource[] {
  const value = metadata[RESOURCES_KEY] ?? ''
  if (!isObject(value))
    return [...new Set(wordsOf(value))].filter(isResource).map((name) => ({ name }))
  return Object.entries(membersOf(value) ?? {}).flatMap(([name, scopes]) =>
    isResource(name) && typeof scopes === 'string'
      ? [{ name, scopes: wordsOf(scopes).filter(isScope) }]
      : [],
  )
}

/** Whether a value is a JSON object. No absolute URI begins with a brace. */
function isObject(value: string): boolean {
  return value.trimStart().startsWith('{')
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
