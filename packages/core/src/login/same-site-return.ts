import { readCookie } from '../http/cookies.ts'
import { type AuthRequest, type AuthResponse, pathOf } from '../http/request.ts'
import { onwardPage, redirect } from '../http/responses.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { createSealer } from '../shared/sealing.ts'
import { translate } from '../texts/languages.ts'

/**
 * The maximum length of the provider's sealed response, in characters. The response is part of the
 * redirect URL, and proxies refuse URLs that are too long.
 */
const MAX_LENGTH = 4000

/**
 * Redirects from the callback to itself, so that the browser sends the session cookie. Browsers
 * withhold a `strict` cookie from all requests that another site causes, and a `lax` cookie from
 * its forms. Without the cookie, the login could not end the session that it replaces. The redirect
 * has the provider's response in sealed form.
 */
export interface SameSiteReturn {
  /**
   * The redirect with the provider's response; `undefined` if the session cookie came, the browser
   * does not withhold it, or the response is too long.
   */
  detour(request: AuthRequest, parameters: URLSearchParams): AuthResponse | undefined
  /** The provider's response in a redirect of `detour`; `undefined` for any other query. */
  open(query: URLSearchParams): URLSearchParams | undefined
}

/** Makes the {@link SameSiteReturn} of a set of options. */
export function createSameSiteReturn({
  secrets,
  session,
  languages,
}: ResolvedAuthOptions): SameSiteReturn {
  const sealer = createSealer(secrets, 'answer')
  const { sameSite } = session.cookie
  return {
    detour(request, parameters) {
      const isWithheld = sameSite === 'strict' || (sameSite === 'lax' && request.method === 'POST')
      if (!isWithheld || readCookie(request.headers.get('cookie'), session.cookieName)) return
      const sealed = sealer.seal(parameters.toString())
      if (sealed.length > MAX_LENGTH) return
      const location = `${pathOf(request.url)}?answer=${sealed}`
      return sameSite === 'strict'
        ? onwardPage(translate(languages, request), location)
        : redirect(location, [], 303)
    },
    open(query) {
      const sealed = query.get('answer')
      const plain = sealed ? sealer.open(sealed) : undefined
      return plain === undefined ? undefined : new URLSearchParams(plain)
    },
  }
}
