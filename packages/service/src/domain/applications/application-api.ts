import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { isWhole } from '../writes/rules.ts'
import { knownScopes } from './application-scopes.ts'

/** The metadata key of an application with the identifier of the API that it offers. */
export const API_KEY = 'latchkey_api'

/**
 * The metadata key of an application with the scopes of its API. The value is a JSON object as
 * text, from each scope to a sentence.
 */
export const API_SCOPES_KEY = 'latchkey_api_scopes'

/**
 * The metadata key of an application that says which clients may request tokens for its API: only
 * registered ones, or also those with a metadata document.
 */
export const API_CLIENTS_KEY = 'latchkey_api_clients'

/** The values of {@link API_CLIENTS_KEY}; the first is the default. */
const API_CLIENTS = ['registered', 'documents'] as const

/** The limits of an API. Lengths are in bytes of UTF-8. */
const apiLimits = { identifier: 500, scopes: 30, scope: 60, sentence: 200 } as const

/** An API that an application offers. */
export interface Api {
  /** The identifier: the `aud` of the API's access tokens, and the `resource` of token requests. */
  readonly identifier: string
  /** The scopes, each with a sentence that says what a token with the scope allows. */
  readonly scopes: ReadonlyMap<string, string>
  /** Whether unregistered clients may request tokens for the API, with the user's consent. */
  readonly isOpen: boolean
}

/**
 * The API of an application; `undefined` if the application offers no API. Invalid scopes are left
 * out.
 */
export function apiOf(metadata: Metadata): Api | undefined {
  const { [API_KEY]: identifier = '', [API_SCOPES_KEY]: text = '' } = metadata
  if (!isResource(identifier)) return undefined
  const scopes = Object.entries(membersOf(text) ?? {}).flatMap(([scope, sentence]) =>
    faultOf(scope, sentence) === undefined ? [[scope, String(sentence)] as const] : [],
  )
  const isOpen = metadata[API_CLIENTS_KEY] === 'documents'
  return { identifier, scopes: new Map(scopes.slice(0, apiLimits.scopes)), isOpen }
}

/**
 * Checks the identifier, the scopes and the clients of an application's API. Nothing is checked if
 * none of these values changes.
 *
 * @throws ServiceError `invalid_metadata`.
 * @see RFC 8707 §2, RFC 6749 §3.3
 */
export function checkNewApi(metadata: Metadata, stored: Metadata | undefined): void {
  const {
    [API_KEY]: identifier = '',
    [API_SCOPES_KEY]: text = '',
    [API_CLIENTS_KEY]: clients = API_CLIENTS[0],
  } = metadata
  const isChanged = [API_KEY, API_SCOPES_KEY, API_CLIENTS_KEY].some(
    (key) => metadata[key] !== stored?.[key],
  )
  if (!isChanged) return
  if (identifier !== '') checkIdentifier(identifier)
  if (!API_CLIENTS.some((one) => one === clients)) {
    refuse(reason('api_clients_unknown', { key: API_CLIENTS_KEY, value: clients }))
  }
  if (clients !== API_CLIENTS[0] && (identifier === '' || text === '')) {
    refuse(
      reason('api_clients_without_scopes', {
        ...{ key: API_CLIENTS_KEY, value: clients, api: API_KEY, scopes: API_SCOPES_KEY },
      }),
    )
  }
  if (text === '') return
  if (identifier === '') {
    refuse(reason('api_scopes_without_api', { key: API_SCOPES_KEY, api: API_KEY }))
  }
  const members = membersOf(text)
  if (!members) {
    refuse(reason('api_scopes_not_json', { key: API_SCOPES_KEY }))
  }
  const entries = Object.entries(members)
  if (entries.length > apiLimits.scopes) {
    refuse(
      reason('api_too_many_scopes', {
        key: API_SCOPES_KEY,
        count: entries.length,
        most: apiLimits.scopes,
      }),
    )
  }
  for (const [scope, sentence] of entries) {
    const fault = faultOf(scope, sentence)
    if (fault) refuse(fault)
  }
}

/** Whether a text can identify an API: it is an absolute URI without a fragment. */
export function isResource(name: string): boolean {
  return URL.canParse(name) && !/[\s#]/.test(name)
}

/** Whether a text can be a scope: printable ASCII without spaces, double quotes and backslashes. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}

/** Parses a JSON object; `undefined` for any other text. */
export function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function checkIdentifier(identifier: string): void {
  const count = Buffer.byteLength(identifier)
  if (count > apiLimits.identifier) {
    refuse(reason('api_too_long', { key: API_KEY, count, most: apiLimits.identifier }))
  }
  if (isResource(identifier)) return
  refuse(reason('api_not_uri', { key: API_KEY, value: identifier }))
}

/** The pattern of control characters and of characters that change the direction of text. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** The fault of a scope or its sentence; `undefined` if both are valid. */
function faultOf(scope: string, sentence: unknown): Reason | undefined {
  const key = API_SCOPES_KEY
  if (!isScope(scope)) {
    return reason('api_not_scope', { key, scope })
  }
  if (scope.length > apiLimits.scope) {
    return reason('api_scope_too_long', { key, count: scope.length, most: apiLimits.scope })
  }
  if (knownScopes.includes(scope)) {
    return reason('api_scope_of_logins', { key, scope })
  }
  if (typeof sentence !== 'string' || sentence.trim() === '') {
    return reason('api_no_sentence', { key, scope })
  }
  const count = Buffer.byteLength(sentence)
  if (count > apiLimits.sentence) {
    return reason('api_sentence_too_long', { key, count, scope, most: apiLimits.sentence })
  }
  if (UNSHOWN.test(sentence) || !isWhole(sentence)) {
    return reason('api_sentence_invisible', { key, scope })
  }
  return undefined
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
