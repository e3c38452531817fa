import type { AuthResponse } from './request.ts'

/**
 * The methods of `Headers` that the kit needs to write a framework's response headers. Without
 * `delete`, a cookie that was set stays, even if another request ends its session before the
 * response is sent.
 */
export type HeaderSink = Pick<Headers, 'get' | 'set' | 'append' | 'getSetCookie'> &
  Partial<Pick<Headers, 'delete'>>

/** The headers that describe the body of a response, and are wrong for any other body. */
export const BODY_HEADERS: readonly string[] = [
  'content-encoding',
  'content-length',
  'etag',
  'last-modified',
]

const UNSHARED = /(^|,)\s*(private|no-store)\s*(,|$)/i

/**
 * Adds the headers of a response to existing ones: `Vary` is merged, a cookie replaces an earlier
 * one of the same name, and other cookies stay.
 *
 * @param setCookies - More `Set-Cookie` values.
 */
export function writeHeaders(
  sink: HeaderSink,
  headers: AuthResponse['headers'],
  setCookies: readonly string[] = [],
): void {
  for (const [name, value] of headers) {
    if (name === 'set-cookie') appendCookie(sink, value)
    else if (name === 'vary') addVary(sink, value)
    else sink.set(name, value)
  }
  for (const cookie of setCookies) appendCookie(sink, cookie)
}

/**
 * Keeps a response out of shared caches. A `Cache-Control` of the application with `private` or
 * `no-store` stays, unless it has `public` too. Any other value is replaced by `private, no-store`.
 */
export function markPrivate(sink: HeaderSink): void {
  const said = sink.get('cache-control') ?? ''
  if (!UNSHARED.test(said) || /public/i.test(said)) sink.set('cache-control', 'private, no-store')
  addVary(sink, 'Cookie')
}

/** Appends a cookie, and removes an earlier one with the same name. */
function appendCookie(sink: HeaderSink, cookie: string): void {
  const name = cookie.slice(0, cookie.indexOf('=') + 1)
  const present = sink.getSetCookie()
  const kept = present.filter((one) => !one.startsWith(name))
  if (kept.length === present.length) sink.append('set-cookie', cookie)
  else {
    const [first = cookie, ...others] = [...kept, cookie]
    sink.set('set-cookie', first)
    for (const one of others) sink.append('set-cookie', one)
  }
}

/** Removes these `Set-Cookie` values, which are not sent yet. */
export function removeCookies(sink: HeaderSink, setCookies: readonly string[]): void {
  const present = sink.getSetCookie()
  const kept = present.filter((one) => !setCookies.includes(one))
  if (!sink.delete || kept.length === present.length) return
  sink.delete('set-cookie')
  for (const one of kept) sink.append('set-cookie', one)
}

function addVary(sink: HeaderSink, name: string): void {
  const present = sink.get('vary')
  const names = present?.toLowerCase().split(/\s*,\s*/) ?? []
  if (names.includes(name.toLowerCase()) || names.includes('*')) return
  sink.set('vary', present ? `${present}, ${name}` : name)
}
