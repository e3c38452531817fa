import type { AuthContext, RequestContext } from '../context.ts'
import { ProviderError } from '../errors/errors.ts'
import { readCookie, setCookie } from '../http/cookies.ts'
import { type AuthResponse, queryOf } from '../http/request.ts'
import { redirect } from '../http/responses.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { beginLogin } from './login.ts'

/**
 * The query parameter that prevents another silent login. A browser that keeps no cookies is
 * redirected back to its page with this parameter.
 */
const OFF = ['silent_login', 'off'] as const

/**
 * Redirects a visitor who opens a page to the provider with `prompt=none`, once in a browser
 * session. The visitor comes back to the page, logged in or not. `undefined` for every other
 * request, and if the provider cannot be reached. Requests without the `Sec-Fetch` headers of a
 * page load, such as those of most crawlers, are not redirected.
 */
export function beginSilentLogin(
  asked: RequestContext,
): Promise<AuthResponse | undefined> | undefined {
  const { context, request, session } = asked
  const { headers, method, url } = request
  const opensPage =
    method === 'GET' &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document'
  if (!opensPage || session.failure) return undefined
  if (readCookie(headers.get('cookie'), markName(context.options)) !== undefined) return undefined
  if (queryOf(url).get(OFF[0]) === OFF[1]) return undefined
  const first = { count: 0, setCookies: silentLoginMark(context) }
  return beginLogin(asked, { returnTo: url, prompt: 'none' }, first).catch((error) => {
    // A public page must be shown even if the provider cannot be reached.
    if (error instanceof ProviderError) return undefined
    throw error
  })
}

/**
 * Redirects a browser that did not keep the cookie of a silent login to the page, with the
 * parameter {@link OFF}, so that the browser is not redirected again.
 */
export function withoutSilentLogin(returnTo: string, setCookies: readonly string[]): AuthResponse {
  const [page = '', fragment] = returnTo.split('#', 2)
  const marked = `${page}${page.includes('?') ? '&' : '?'}${OFF.join('=')}`
  return redirect(fragment === undefined ? marked : `${marked}#${fragment}`, setCookies, 303)
}

/**
 * The `Set-Cookie` value that prevents another silent login until the browser is closed; none if
 * the option `silentLogin` is off.
 */
export function silentLoginMark({ options }: Pick<AuthContext, 'options'>): string[] {
  if (!options.silentLogin) return []
  return [setCookie(markName(options), '1', options.session.cookie)]
}

function markName({ session }: ResolvedAuthOptions): string {
  return `${session.cookieName}.silent`
}
