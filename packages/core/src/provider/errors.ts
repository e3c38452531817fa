import type { IDToken, ResponseBodyError } from 'openid-client'
import { LatchkeyError, ProviderError } from '../errors/errors.ts'

/** The first error of the kit in the chain of causes of an error; `undefined` if there is none. */
export function kitCause(error: unknown): LatchkeyError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LatchkeyError) return cause
  }
  return undefined
}

/**
 * Whether a call failed because the provider did not respond, rather than because of its response.
 */
export function isUnavailable(error: unknown): boolean {
  const code = (error as { code?: string } | undefined)?.code
  return code === 'OAUTH_TIMEOUT' || kitCause(error)?.code === 'LATCHKEY_PROVIDER_UNAVAILABLE'
}

/** Whether the provider answered a call with an OAuth error (RFC 6749 §5.2). */
export function isResponseBodyError(error: unknown): error is ResponseBodyError {
  return codeOf(error) === 'OAUTH_RESPONSE_BODY_ERROR'
}

/**
 * The code of an error. Codes are compared, because the classes would load openid-client before it
 * is needed.
 */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code
}

/**
 * Turns an error of openid-client into an error of the kit. Causes with a response or its
 * parameters are dropped, because these may contain tokens.
 *
 * @param secrets - Secrets of the request, which are removed from the provider's description.
 */
export function providerError(
  error: unknown,
  what: string,
  secrets?: readonly string[],
): LatchkeyError {
  const known = kitCause(error)
  if (known) return known
  if (isUnavailable(error)) {
    return new ProviderError(
      'LATCHKEY_PROVIDER_UNAVAILABLE',
      'The provider did not answer in time.',
    )
  }
  const detail = isResponseBodyError(error)
    ? ` with ${quoted(error.error, error.error_description, secrets)}`
    : ''
  return new ProviderError('LATCHKEY_PROVIDER_INVALID', `The provider ${what}${detail}.`)
}

const MAX_DESCRIPTION = 200
/** JWTs, and credentials after the name of their scheme. */
const CREDENTIALS = /eyJ[\w-]{6,}(\.[\w-]*)*|(?<=\b(Basic|Bearer|DPoP)\s+)[\w+/=.~-]{16,}/gi

/** Email addresses. */
const MAIL = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g
/** The query and fragment of a web address. */
const QUERY = /(?<=\bhttps?:\/\/[^\s?#]*)[?#]\S*/g

/**
 * A provider's error code and description, in a form that may appear in a message.
 *
 * @param secrets - Secrets of the request to remove, because some providers repeat them.
 */
export function quoted(
  code: unknown,
  description: unknown,
  secrets: readonly (string | undefined)[] = [],
): string {
  const shown = `"${printable(code)}"`
  if (typeof description !== 'string' || description.trim() === '') return shown
  let text = description
    .replace(CREDENTIALS, '[secret]')
    .replace(QUERY, '')
    .replace(MAIL, '[address]')
  const forms = secrets.flatMap((secret) => (secret ? [secret, encodeURIComponent(secret)] : []))
  // A secret may be the word "secret", which is part of each replacement.
  text = text
    .split('[secret]')
    .map((part) => withoutForms(part, forms))
    .join('[secret]')
  return `${shown} (${printable(text, MAX_DESCRIPTION)})`
}

function withoutForms(text: string, forms: readonly string[]): string {
  if (forms.length === 0) return text
  // The longest first, because a secret may begin with another one.
  const ordered = forms.toSorted((one, other) => other.length - one.length)
  const literals = ordered.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return text.replace(new RegExp(literals.join('|'), 'g'), '[secret]')
}

/**
 * Makes a provider's text safe for a message: white space becomes a space, other invisible
 * characters become "?", and long texts are cut.
 */
export function printable(text: unknown, max = 60): string {
  const visible = String(text)
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?')
    .replace(/["\\]/g, "'")
  return visible.length > max ? `${visible.slice(0, max)}…` : visible
}

/**
 * The facts that openid-client attaches to its errors. The facts of inner causes replace those of
 * outer ones.
 */
export interface ErrorFacts {
  /** The claims of the JWT that was refused. */
  readonly claims?: Partial<IDToken>
  /** The body that was refused. */
  readonly body?: Readonly<Record<string, unknown>>
  /** The status of the answer that was refused. */
  readonly status?: number
  /** The algorithm of the token that was refused, and those of the discovery document. */
  readonly algorithm?: { readonly found: string; readonly expected: string }
  /** The message of openid-client, which contains no token. */
  readonly reason?: string
}

/** Collects the facts of an error of openid-client. */
export function factsOf(error: unknown): ErrorFacts {
  let facts: ErrorFacts = {}
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as { code?: unknown }
    if (typeof code === 'string' && code.startsWith('OAUTH_'))
      facts = { ...facts, reason: one.message }
    const cause = one.cause as ErrorFacts | null | undefined
    if (!cause || typeof cause !== 'object') continue
    if (cause instanceof Response) facts = { ...facts, status: cause.status }
    const algorithm = algorithmOf(cause)
    if (algorithm) facts = { ...facts, algorithm }
    if (isRecord(cause.claims)) facts = { ...facts, claims: cause.claims }
    if (!(cause instanceof Response) && isRecord(cause.body)) facts = { ...facts, body: cause.body }
  }
  return facts
}

function algorithmOf(cause: object): ErrorFacts['algorithm'] {
  const { header, expected } = cause as { header?: { alg?: unknown }; expected?: unknown }
  if (typeof header?.alg !== 'string') return undefined
  const names = [expected].flat().filter((name) => typeof name === 'string')
  return { found: printable(header.alg), expected: printable(names.join(', '), 200) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
