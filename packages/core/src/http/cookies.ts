/** The scope and the lifetime of a cookie. `HttpOnly` is always set. */
export interface CookieScope {
  readonly path: string
  readonly secure: boolean
  readonly sameSite: 'lax' | 'strict' | 'none'
  /** Seconds that the browser keeps the cookie. Default: until the browser is closed. */
  readonly maxAgeSeconds?: number | undefined
}

const SAME_SITE = { lax: 'Lax', strict: 'Strict', none: 'None' } as const

/**
 * Writes a `Set-Cookie` value (RFC 6265 §4.1). The value is percent-encoded. There is no `Expires`,
 * because all current browsers support `Max-Age`, which does not depend on the clock of the
 * browser.
 */
export function setCookie(name: string, value: string, scope: CookieScope): string {
  let cookie = `${name}=${encodeURIComponent(value)}; Path=${scope.path}`
  if (scope.maxAgeSeconds !== undefined) cookie += `; Max-Age=${scope.maxAgeSeconds}`
  cookie += '; HttpOnly'
  if (scope.secure) cookie += '; Secure'
  return `${cookie}; SameSite=${SAME_SITE[scope.sameSite]}`
}

/** Writes the `Set-Cookie` value that removes a cookie of the same scope. */
export function clearCookie(name: string, scope: CookieScope): string {
  const past = 'Thu, 01 Jan 1970 00:00:00 GMT'
  const secure = scope.secure ? '; Secure' : ''
  return `${name}=; Path=${scope.path}; Max-Age=0; Expires=${past}; HttpOnly${secure}; SameSite=${SAME_SITE[scope.sameSite]}`
}

/**
 * Reads one cookie of a `Cookie` header without parsing the others. If several cookies have the
 * name, the first counts. A value that cannot be decoded counts as absent.
 */
export function readCookie(header: string | null | undefined, name: string): string | undefined {
  if (!header) return undefined
  const prefix = `${name}=`
  let start = 0
  while (start < header.length) {
    while (header[start] === ' ' || header[start] === ';') start++
    let end = header.indexOf(';', start)
    if (end === -1) end = header.length
    if (header.startsWith(prefix, start)) return decode(header.slice(start + prefix.length, end))
    start = end + 1
  }
  return undefined
}

/** The names of a `Cookie` header that begin with `prefix`, in the order sent. */
export function cookieNames(header: string | null | undefined, prefix: string): string[] {
  if (!header?.includes(prefix)) return []
  return header
    .split(';')
    .map((pair) => pair.slice(0, Math.max(pair.indexOf('='), 0)).trim())
    .filter((name) => name.startsWith(prefix))
}

function decode(value: string): string | undefined {
  const trimmed = value.trim()
  if (!trimmed.includes('%')) return trimmed
  try {
    return decodeURIComponent(trimmed)
  } catch {
    return undefined
  }
}
