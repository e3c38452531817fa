import type { Auth } from '@latchkey/core'
import { recorderPath } from '@latchkey/core/internal'
import type { NextRequest } from 'next/server.js'
import { beginsNoLogin, noLogin } from './no-navigation.ts'
import { forgetAddress, passAddress, withCookies } from './request-headers.ts'

/** The parts of the login that the proxy uses. */
export interface ProxiedAuth<U> {
  readonly auth: Auth<U>
  /**
   * Whether a session may need cookies that a page cannot set. If so, the proxy opens the session
   * for every request.
   */
  readonly writesCookies: boolean
}

/** Creates the proxy of an application. */
export function proxyOf<U>(
  login: () => ProxiedAuth<U>,
): (request: NextRequest) => Promise<Response> {
  return async (request) => {
    const { NextResponse } = await import('next/server.js')
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    forgetAddress(headers)
    const onward = (): Response => NextResponse.next({ request: { headers } })
    // The scripts, styles and images of Next.js need no login.
    if (request.nextUrl.pathname.startsWith('/_next/')) return onward()
    const { auth, writesCookies } = login()
    passAddress(headers, `${request.method} ${pathname}${search}`, auth)
    if (beginsNoLogin(request, auth)) return noLogin()
    if (!writesCookies && !isOfKit(auth, pathname, search)) return onward()
    let isOurs = true
    const response = await auth.fetch(
      request,
      (visit) => {
        isOurs = false
        if (visit.session.setCookies.length > 0) visit.sessionUsed()
        return new Response()
      },
      { exchange: { request } },
    )
    return isOurs ? absolute(response, request.url) : onwardWith(response, headers, onward)
  }
}

/**
 * Whether a request may be for a route of the kit. A request with a `state` may be, because after a
 * logout the provider redirects to the home page with a `state`.
 */
function isOfKit<U>(
  { baseUrl, routes, metadataPaths }: Auth<U>,
  pathname: string,
  search: string,
): boolean {
  if (search.includes('state=')) return true
  if (metadataPaths.includes(pathname)) return true
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  return [...Object.values(routes), recorderPath(baseUrl)].some((route) =>
    [pathname, prefix + pathname].some((path) => path === route || path.startsWith(`${route}/`)),
  )
}

/**
 * Makes the `Location` of a response absolute, because Next.js accepts only absolute URLs. Next.js
 * sends a URL of its own host without the host.
 */
function absolute(response: Response, base: string): Response {
  const location = response.headers.get('location')
  if (location) response.headers.set('location', new URL(location, base).href)
  return response
}

/**
 * Passes a request on to its page. New cookies of the session are added to the response for the
 * browser, and to the request for the page.
 */
function onwardWith(response: Response, headers: Headers, onward: () => Response): Response {
  withCookies(headers, response.headers.getSetCookie())
  const passed = onward()
  for (const [name, value] of response.headers) passed.headers.append(name, value)
  return passed
}
