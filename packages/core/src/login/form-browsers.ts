import { cookieNames, readCookie, setCookie } from '../http/cookies.ts'
import type { AuthRequest } from '../http/request.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { randomText } from '../shared/random.ts'
import type { Sealer } from '../shared/sealing.ts'
import type { FormCookie } from './kept-form.ts'

/**
 * The lifetime of the main cookie of a browser, in seconds. It is long, because a page with a form
 * may stay open for longer than a session lasts.
 */
const COOKIE_SECONDS = 400 * 86_400

/** The key and user of a browser, read from its cookie or made for a new browser. */
interface Browser extends FormCookie {
  /** Whether the request had no cookie for forms, so that the key was made now. */
  readonly isNew?: boolean
}

/** Recognizes the browsers that send forms, by sealed cookies. */
export interface FormBrowsers {
  /**
   * The browser of a request; a new browser if there is no cookie, and `undefined` if the main
   * cookie was not sealed here. The first form of a new browser gets a separate cookie, because
   * another tab may send a form at the same time.
   *
   * @param id - The id of a form. Its separate cookie is tried before the main cookie.
   */
  of(request: AuthRequest, id?: string): Browser | undefined
  /**
   * The `Set-Cookie` value that stores the key and user of a browser.
   *
   * @param id - The id of a form, for its separate cookie. Default: the main cookie.
   */
  cookieOf(browser: FormCookie, id?: string): string
}

/**
 * Makes {@link FormBrowsers}.
 *
 * @param keptSeconds - The seconds for which a form and its separate cookie are kept.
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
      // The callback needs this cookie, and another site may lead there. So it is never `strict`,
      // and it is `none` only if the session cookie is.
      const sameSite = session.cookie.sameSite === 'none' ? 'none' : 'lax'
      const maxAgeSeconds = id === undefined ? COOKIE_SECONDS : keptSeconds
      const scope = { ...session.cookie, sameSite, maxAgeSeconds } as const
      return setCookie(name, sealer.seal(JSON.stringify({ key, user }), 'browser'), scope)
    },
  }
}
