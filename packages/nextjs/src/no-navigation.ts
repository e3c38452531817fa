import type { Auth } from '@latchkey/core'

/**
 * Whether a request for the login route comes from no navigation of a browser: the router of Next.js fetches pages and
 * their redirects, also in advance, and a provider lets no script in. Next.js hides its own headers from the proxy;
 * those of the browser are there.
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

/** The answer to it: the router of Next.js lets the browser navigate where it gets no page, and nothing is prefetched. */
export function noLogin(): Response {
  return new Response(null, {
    status: 204,
    headers: { 'cache-control': 'no-store', vary: 'Sec-Fetch-Mode, Sec-Purpose, Purpose' },
  })
}
