import type { Log } from '../log/log.ts'
import { partsOf } from './request.ts'

const MAX_LENGTH = 1024
/**
 * A path and query that all URL parsers read in the same way, and that resolving does not change.
 */
const PLAIN = /^(?:\/|(?:\/[\w-]+(?:\.[\w-]+)*)+\/?)(?:\?[\w.~%=&+-]+)?$/

/**
 * Makes a URL safe to redirect to after a login: the result is always a path of this site.
 *
 * `value` is resolved against `baseUrl`, as a browser does it. If the origin is the same, the path
 * with its query and fragment is returned, otherwise `fallback`. URLs that parsers read in
 * different ways are refused: with backslashes, control characters, or two slashes at the start of
 * the path. If the result has more than 1,024 characters, only the path is returned, or `fallback`
 * if that is too long as well.
 *
 * @param value - The URL to check, such as a query parameter.
 * @param fallback - Default the path of `baseUrl`.
 */
export function safeReturnTo(
  value: unknown,
  baseUrl: URL,
  fallback: string = baseUrl.pathname,
): string {
  return resolveReturnTo(value, baseUrl, fallback).path
}

/** Returns the result of {@link safeReturnTo}, and logs a warning if the URL was too long. */
export function keptReturnTo(
  value: unknown,
  baseUrl: URL,
  log: Log,
  fallback: string = baseUrl.pathname,
): string {
  const { path, isShortened } = resolveReturnTo(value, baseUrl, fallback)
  if (isShortened) warnShortened(log)
  return path
}

/** Logs a warning that a visitor does not return to the whole URL that they requested. */
export function warnShortened(log: Log): void {
  log.warned(
    'LATCHKEY_RETURN_TO_SHORTENED',
    `A visitor comes back to the path of an address without its query, because the address is longer than ${MAX_LENGTH} characters or does not fit into "state".`,
  )
}

function resolveReturnTo(
  value: unknown,
  baseUrl: URL,
  fallback: string,
): { path: string; isShortened: boolean } {
  const refused = { path: fallback, isShortened: false }
  if (typeof value !== 'string' || value === '') return refused
  const plain = plainPath(value, partsOf(baseUrl).origin)
  if (plain) return { path: plain, isShortened: false }
  if (hasAmbiguousCharacter(value)) return refused
  let url: URL
  try {
    url = new URL(value, baseUrl)
  } catch {
    return refused
  }
  // A blob: URL has the origin of its creator, and its path is a URL itself.
  if (url.origin !== baseUrl.origin || url.protocol !== baseUrl.protocol) return refused
  const path = url.pathname + url.search + url.hash
  if (!/^\/(?!\/)/.test(path)) return refused
  if (path.length <= MAX_LENGTH) return { path, isShortened: false }
  return {
    path: url.pathname.length <= MAX_LENGTH ? url.pathname : fallback,
    isShortened: true,
  }
}

/**
 * The path of a URL that is safe without a parser, as most are; `undefined` for any other. Parsing
 * takes a tenth of the time of a redirect.
 */
function plainPath(value: string, origin: string): string | undefined {
  const path = value.startsWith(`${origin}/`) ? value.slice(origin.length) : value
  return path.length <= MAX_LENGTH && PLAIN.test(path) ? path : undefined
}

/**
 * Whether a text has a backslash, a control character, or a space that parsers trim or split at.
 */
function hasAmbiguousCharacter(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code <= 0x20 || code === 0x5c || (code >= 0x7f && code <= 0xa0)) return true
    if (code === 0x2028 || code === 0x2029 || code === 0xfeff) return true
  }
  return false
}
