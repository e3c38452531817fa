import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { wordsOf } from '../writes/rules.ts'
import { isResource, isScope, membersOf } from './application-api.ts'

/** The metadata key of an application with the APIs for which it may request access tokens. */
export const RESOURCES_KEY = 'latchkey_resources'

/** An API for which an application may request access tokens. */
export interface Resource {
  /** The identifier of the API, which is compared character by character. */
  readonly name: string
  /** The scopes that the application may request. Default: all scopes of the API. */
  readonly scopes?: readonly string[]
}

/**
 * Checks the APIs for which an application may request tokens, and their scopes. A value that is
 * already stored may stay.
 *
 * @throws ServiceError `invalid_metadata`.
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
 * The APIs for which an application may request access tokens. The metadata has their identifiers,
 * separated by spaces, or a JSON object with the scopes of each API. Invalid entries are left out.
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

/** Whether a value is meant as a JSON object: it begins with a brace, as no absolute URI does. */
function isObject(value: string): boolean {
  return value.trimStart().startsWith('{')
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
