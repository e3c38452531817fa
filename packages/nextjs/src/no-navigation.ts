import type { Auth } from '@latchkey/core'

/**
 * Whether a request is for the login route, but is not a navigation of the browser. The router of
 * Next.js fetches pages by script, even in advance, and follows their redirects. A provider refuses
 * requests of scripts. Next.js hides its own headers from the proxy, so the headers of the browser
 * are checked.
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
 * The response to a request for the login route that is not a navigation. As the response has no
 * page, the router makes the browser navigate, and prefetches nothing.
 */
export function noLogin(): Response {
  return new Response(null, {
    status: 204,
    headers: { 'cache-control': 'no-store', vary: 'Sec-Fetch-Mode, Sec-Purpose, Purpose' },
  })
}
