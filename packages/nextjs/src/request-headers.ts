import { type Auth, LatchkeyError } from '@latchkey/core'

/** The header in which the proxy passes the sealed method and address of a request to pages. */
const ASKED = 'x-latchkey-asked'

/** Removes the proxy's header from a request of a client. */
export function forgetAddress(headers: Headers): void {
  headers.delete(ASKED)
}

/** Passes the method and address of a request to its page. */
export function passAddress<U>(headers: Headers, asked: string, { addressSealer }: Auth<U>): void {
  headers.set(ASKED, addressSealer.seal(asked))
}

/** Changes the cookies of a request in the same way as the browser will change its own. */
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
  /** The request for the core. If the page's address is unknown, it has the application's. */
  readonly request: Request
  /** The request for checks. If the page's method and address are unknown, reading them throws. */
  readonly subject: Request
  /** The path and query of a page, to return to. */
  readonly path: string
}

/**
 * The request of a page, with the address that the proxy has sealed. A header of a client is ignored, and without the
 * proxy the address is unknown. Forms that are sent without a script do not have the header of an action.
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

/** The same request, but reading its address throws. With an invented address, checks would decide wrongly. */
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
