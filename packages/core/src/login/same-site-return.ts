import { readCookie } from '../http/cookies.ts'
import { type AuthRequest, type AuthResponse, pathOf } from '../http/request.ts'
import { onwardPage, redirect } from '../http/responses.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { createSealer } from '../shared/sealing.ts'
import { translate } from '../texts/languages.ts'

/** The length of a sealed response at most. Proxies would refuse a longer address. */
const MAX_LENGTH = 4000

/**
 * Sends the provider's response to the callback again from our own site, because a browser leaves session cookies out
 * of requests that another site causes: strict cookies out of all, lax cookies out of forms. Without it, the session
 * that the login replaces would not be ended. The response is sealed on that way.
 */
export interface SameSiteReturn {
  /** Redirects the response through this site, if the browser may then send the session cookie. */
  detour(request: AuthRequest, parameters: URLSearchParams): AuthResponse | undefined
  /** The response that such a redirect contains; `undefined` for any other request. */
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
