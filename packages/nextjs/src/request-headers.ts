import { type Auth, LatchkeyError } from '@latchkey/core'

/** The header in which the proxy passes the method and URL of a request to its page, sealed. */
const ASKED = 'x-latchkey-asked'

/** Removes the header of the proxy from a request, because a client may have set it. */
export function forgetAddress(headers: Headers): void {
  headers.delete(ASKED)
}

/** Passes the method and URL of a request to its page, in a sealed header. */
export function passAddress<U>(headers: Headers, asked: string, { addressSealer }: Auth<U>): void {
  headers.set(ASKED, addressSealer.seal(asked))
}

/**
 * Applies `Set-Cookie` lines to the cookies of a request, as the browser will apply them to its
 * own.
 */
export function withCookies(headers: Headers, lines: readonly string[]): void {
  if (lines.length === 0) return
  const cookies = new Map<string, string>()
  for (const pair of (headers.get('cookie') ?? '').split(/; */)) cookies.set(nameOf(pair), pair)
  for (const line of lines) {
    const [pair = ''] = line.split(';')
    if (/; Max-Age=0(;|$)/.test(line)) cookies.delete(nameOf(pair))
    else cookies.set(nameOf(pair), pair)
  }
  headers.set('cookie', [...cookies.values()].filter(Boolean).join('; '))
}

/** The request of a page or a server action. */
export interface PageRequest {
  /**
   * The request for the core. If the URL of the page is unknown, this is the base URL of the
   * application.
   */
  readonly request: Request
  /** The request for checks. If the method and URL of the page are unknown, reading them throws. */
  readonly subject: Request
  /** The path and query of the page, to which a login returns. */
  readonly path: string
}

/**
 * Rebuilds the request of a page, with the method and URL that the proxy has sealed. A header that
 * a client has set is ignored. Without the proxy, the method and URL are unknown. The method is
 * then guessed from two headers, because a form that is sent without a script lacks `next-action`.
 */
export function requestOf<U>(sent: Headers, { baseUrl, addressSealer }: Auth<U>): PageRequest {
  const headers = new Headers(sent)
  const asked = addressSealer.open(headers.get(ASKED) ?? '')
  headers.delete(ASKED)
  const isWrite = headers.has('next-action') || headers.has('content-type')
  const unknown = `${isWrite ? 'POST' : 'GET'} ${baseUrl.pathname}`
  const [method = 'GET', path = '/'] = (asked ?? unknown).split(' ')
  const request = new Request(baseUrl.origin + path, { method, headers })
  return { request, subject: asked ? request : withoutAddress(request), path }
}

/**
 * A copy of a request whose method and URL throw when they are read. With an invented URL, checks
 * would decide wrongly.
 */
function withoutAddress(request: Request): Request {
  const refuse = (): never => {
    throw new LatchkeyError('LATCHKEY_ADDRESS_UNKNOWN', NO_PROXY)
  }
  return Object.defineProperties(request.clone(), {
    url: { get: refuse },
    method: { get: refuse },
    clone: { value: refuse },
  })
}

function nameOf(pair: string): string {
  return pair.slice(0, Math.max(pair.indexOf('='), 0))
}

const NO_PROXY =
  'A check reads the address or the method of a page that the proxy of the kit has not seen. Export auth.proxy from proxy.ts, and let its matcher include the page.'
