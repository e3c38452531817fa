import { cookieNames, readCookie, setCookie } from '../http/cookies.ts'
import type { AuthRequest } from '../http/request.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { randomText } from '../shared/random.ts'
import type { Sealer } from '../shared/sealing.ts'
import type { FormCookie } from './kept-form.ts'

/**
 * The lifetime of the cookie of a browser, in seconds. A page may stay open for longer than a
 * session lasts.
 */
const COOKIE_SECONDS = 400 * 86_400

/** A browser that has sent a form. */
interface Browser extends FormCookie {
  /** Whether the request had no cookie of forms. */
  readonly isNew?: boolean
}

/** The browsers that send forms. Each is recognized by a sealed cookie. */
export interface FormBrowsers {
  /**
   * The browser of a request: a new one if there is no cookie, `undefined` if the cookie was not made here. The first
   * form of a new browser gets a separate cookie, because another tab may send a form at the same time.
   *
   * @param id - The form whose separate cookie is looked for first.
   */
  of(request: AuthRequest, id?: string): Browser | undefined
  /**
   * The `Set-Cookie` value by which a browser is recognized from now on.
   *
   * @param id - The form, for its separate cookie. Default: the cookie of the browser.
   */
  cookieOf(browser: FormCookie, id?: string): string
}

/**
 * Makes the cookies of browsers that send forms.
 *
 * @param keptSeconds - The seconds for which a form is kept, which is also the lifetime of its
 *   separate cookie.
 */
export function createFormBrowsers(
  { session }: ResolvedAuthOptions,
  sealer: Sealer,
  keptSeconds: number,
): FormBrowsers {
  const cookieName = `${session.cookieName}.forms`

  function open(sealed: string | undefined): FormCookie | undefined {
    const plain = sealed === undefined ? undefined : sealer.open(sealed, 'browser')
    return plain === undefined ? undefined : (JSON.parse(plain) as FormCookie)
  }

  return {
    of({ headers }, id) {
      const header = headers.get('cookie')
      const own = id && open(readCookie(header, `${cookieName}.${id}`))
      if (own) return own
      const sealed = readCookie(header, cookieName)
      if (sealed !== undefined) return open(sealed)
      for (const name of cookieNames(header, `${cookieName}.`)) {
        const browser = open(readCookie(header, name))
        if (browser) return browser
      }
      return { key: randomText(32), isNew: true }
    },
    cookieOf({ key, user }, id) {
      const name = id === undefined ? cookieName : `${cookieName}.${id}`
      // The provider's response may be a form of another site. Browsers must send this cookie with it wherever they
      // send the session cookie.
      const sameSite = session.cookie.sameSite === 'none' ? 'none' : 'lax'
      const maxAgeSeconds = id === undefined ? COOKIE_SECONDS : keptSeconds
      const scope = { ...session.cookie, sameSite, maxAgeSeconds } as const
      return setCookie(name, sealer.seal(JSON.stringify({ key, user }), 'browser'), scope)
    },
  }
}
