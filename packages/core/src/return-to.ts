const MAX_LENGTH = 1024

/**
 * Decides where a login may end.
 *
 * `value` is resolved against `baseUrl` as a browser would resolve it and kept when the origin is
 * the same, otherwise `fallback` is returned. What is returned is a path with its query and fragment,
 * never a host, and giving it in again returns it unchanged. Anything that parsers are known to read
 * in different ways (backslashes, control characters, a path that begins with two slashes) is refused.
 *
 * @param value - Whatever came in: a query parameter, an opened cookie, an argument.
 */
export function safeReturnTo(
  value: unknown,
  baseUrl: URL,
  fallback: string = baseUrl.pathname,
): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_LENGTH) return fallback
  if (hasAmbiguousCharacter(value)) return fallback
  let url: URL
  try {
    url = new URL(value, baseUrl)
  } catch {
    return fallback
  }
  // A blob: URL has the origin of what made it, and its path is a URL of its own.
  if (url.origin !== baseUrl.origin || url.protocol !== baseUrl.protocol) return fallback
  const path = url.pathname + url.search + url.hash
  if (!/^\/(?!\/)/.test(path) || path.length > MAX_LENGTH) return fallback
  return path
}

/** A backslash, a control character, or one of the spaces that parsers trim or split at. */
function hasAmbiguousCharacter(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code <= 0x20 || code === 0x5c || (code >= 0x7f && code <= 0xa0)) return true
    if (code === 0x2028 || code === 0x2029 || code === 0xfeff) return true
  }
  return false
}
