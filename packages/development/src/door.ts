import { timingSafeEqual } from 'node:crypto'
import {
  type AuthResponse,
  deriveKey,
  type Log,
  macOf,
  page,
  personasPath,
  queryOf,
  type RequestContext,
  type ResolvedAuthOptions,
  readCookie,
  recorderPath,
  redirect,
  setCookie,
} from '@latchkey/core/internal'

/**
 * The access control of the login recorder and the personas. Only a browser that has opened the
 * link in the log has access.
 */
export interface Door {
  /** The URL with the key. Opening it sets the cookie in the browser. */
  readonly link: string
  /**
   * Answers a request with the key by setting the cookie, and a request without the cookie with
   * 403. `undefined` if the browser has the cookie, or for another path.
   */
  answer(path: string, asked: RequestContext): AuthResponse | undefined
}

const BODY =
  '<p>This page is for the developer of the application. To show that this is you, open the link that the application has just written to its log, which is in your terminal. Then reload this page.</p>' +
  '<p><small>LATCHKEY_DEVELOPMENT_KEY</small></p>'

/**
 * Creates the access control.
 *
 * @param key - The development key, which is part of the link in the log.
 */
export function createDoor(key: string, { baseUrl, secure }: ResolvedAuthOptions, log: Log): Door {
  const recorder = recorderPath(baseUrl)
  const paths = new Set([recorder, personasPath(baseUrl)])
  // The value of the cookie is a hash of the key, because the key itself is in the log.
  const pass = macOf('cookie', deriveKey(key, 'development'))
  const linkAt = ({ origin }: URL): string => `${origin}${recorder}?key=${key}`
  return {
    link: linkAt(baseUrl),
    answer(path, { context, request }) {
      if (!paths.has(path)) return undefined
      const at = context.options.baseUrl
      // The name of the cookie has the port, because browsers send cookies to all ports of a host.
      const name = `latchkey-development${at.port && `-${at.port}`}`
      const query = queryOf(request.url)
      const given = query.get('key')
      if (given !== null && isSame(given, key)) {
        query.delete('key')
        const cookie = setCookie(name, pass, { path: recorder, secure, sameSite: 'lax' })
        const rest = query.toString()
        return redirect(rest ? `${path}?${rest}` : path, [cookie], 303)
      }
      const kept = readCookie(request.headers.get('cookie'), name)
      if (kept !== undefined && isSame(kept, pass)) return undefined
      log.warned(
        'LATCHKEY_DEVELOPMENT_KEY',
        `Open ${linkAt(at)} in the browser that asked for ${path}, if it is yours: it lacks the key of development.`,
      )
      return page({
        title: 'Open the link in your terminal',
        body: BODY,
        icon: 'lock',
        status: 403,
      })
    },
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
