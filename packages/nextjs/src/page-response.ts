import { LatchkeyError, type ResponsePort } from '@latchkey/core'

/** The cookies of Next.js. */
interface CookieJar {
  set(name: string, value: string, attributes: object): unknown
}

/**
 * Creates the response port of a page or a server action. Only Next.js can write the headers of its
 * response. So cookies are set with `cookies()`, and a response with a `Location` becomes a
 * redirect. `send` throws `LATCHKEY_REQUEST_INVALID` for any other response.
 */
export function pageResponse(
  jar: CookieJar,
  redirect: (address: string) => never,
): ResponsePort<never> {
  const headers = new Headers()
  return {
    get: (name) => headers.get(name),
    getSetCookie: () => headers.getSetCookie(),
    get isSent() {
      return !isWritable(jar)
    },
    set(name, value) {
      headers.set(name, value)
      if (name === 'set-cookie') setCookie(jar, value)
    },
    append(name, value) {
      headers.append(name, value)
      if (name === 'set-cookie') setCookie(jar, value)
    },
    // The proxy and Next.js itself keep a page out of caches.
    beforeSent() {},
    send({ status, onward }) {
      const address = headers.get('location') ?? onward
      if (address) return redirect(address)
      throw new LatchkeyError(
        'LATCHKEY_REQUEST_INVALID',
        `A page cannot be answered with ${status}.`,
      )
    },
  }
}

/**
 * Whether cookies can be set now: in a server action and a route handler, and not while a page is rendered. Next.js says
 * so only when one is set. Without a name, none is, and a `TypeError` follows.
 */
function isWritable(jar: CookieJar): boolean {
  try {
    Reflect.apply(jar.set, jar, [])
    return true
  } catch (error) {
    return (error as Error).name === 'TypeError'
  }
}

/** Sets a cookie of a `Set-Cookie` line with `cookies()` of Next.js. */
export function setCookie(jar: CookieJar, line: string): void {
  const [pair = '', ...rest] = line.split('; ')
  const attributes = new Map(
    rest.map((one): [string, string] => [
      one.split('=')[0]?.toLowerCase() ?? '',
      one.split('=')[1] ?? '',
    ]),
  )
  const at = pair.indexOf('=')
  const maxAge = attributes.get('max-age')
  jar.set(pair.slice(0, at), decodeURIComponent(pair.slice(at + 1)), {
    path: attributes.get('path'),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
    httpOnly: true,
    secure: attributes.has('secure'),
    sameSite: attributes.get('samesite')?.toLowerCase(),
  })
}
