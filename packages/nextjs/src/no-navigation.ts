import type { Auth } from '@latchkey/core'

/**
 * Whether a request for the login route is not a navigation of a browser. The router of Next.js fetches pages and
 * follows their redirects, even in advance, but a provider does not admit scripts. Next.js hides its own headers from
 * the proxy; those of the browser remain.
 */
export function beginsNoLogin<U>(
  { method, url, headers }: Request,
  { routes, baseUrl }: Auth<U>,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const { pathname } = new URL(url)
  const underBase = baseUrl.pathname.replace(/\/$/, '') + pathname
  if (pathname !== routes.login && underBase !== routes.login) return false
  const mode = headers.get('sec-fetch-mode') ?? 'navigate'
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? ''
  return mode !== 'navigate' || purpose.startsWith('prefetch')
}

/**
 * The response to such a request. The router then makes the browser navigate, as it gets no page, and nothing is
 * prefetched.
 */
export function noLogin(): Response {
  return new Response(null, {
    status: 204,
    headers: { 'cache-control': 'no-store', vary: 'Sec-Fetch-Mode, Sec-Purpose, Purpose' },
  })
}
