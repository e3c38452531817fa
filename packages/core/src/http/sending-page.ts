import type { ResolvedAuthOptions } from '../options/options.ts'
import type { AuthRequest } from './request.ts'

type Headers = Pick<AuthRequest, 'headers'>

/**
 * Whether a page of this application or of a trusted origin sent a request. `Sec-Fetch-Site`
 * decides, or `Origin` if that header is missing, as in old browsers and over plain http. A trusted
 * origin is recognized by `Origin`. A request with neither header does not come from a current
 * browser, and counts as sent by another page.
 */
export function isFromTrustedPage(
  { headers }: Headers,
  { baseUrl, trustedOrigins }: Pick<ResolvedAuthOptions, 'baseUrl' | 'trustedOrigins'>,
): boolean {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin') return true
  const origin = headers.get('origin')
  if (origin === null) return false
  return trustedOrigins.includes(origin) || (!site && origin === baseUrl.origin)
}

/**
 * Whether a page of another site may have sent a request that can do harm in the user's session: a
 * write or the opening of a WebSocket.
 */
export function isFromOtherPage(
  request: Pick<AuthRequest, 'method' | 'headers' | 'opensSocket'>,
  options: Pick<ResolvedAuthOptions, 'baseUrl' | 'trustedOrigins' | 'checksWrites'>,
): boolean {
  const isChecked = opensSocket(request) || (isWrite(request.method) && options.checksWrites)
  return isChecked && !isFromTrustedPage(request, options)
}

/** The browser's headers about the page that sent the request, for the message of an error. */
export function sendingPage({ headers }: Headers): string {
  const said = [
    ['Sec-Fetch-Site', headers.get('sec-fetch-site')],
    ['Origin', headers.get('origin')],
  ].map(
    ([name, value]) =>
      `${name} ${value ? `is ${JSON.stringify(value.slice(0, 100))}` : 'is missing'}`,
  )
  return said.join(' and ')
}

/**
 * Whether a request opens a long-lived connection: a WebSocket of HTTP/1.1, one of HTTP/2 (RFC 8441
 * §4), or a request that `socket()` checks. A page of any site can open one with the cookies of
 * this site.
 */
export function opensSocket({
  method,
  headers,
  opensSocket: said = false,
}: Pick<AuthRequest, 'method' | 'headers' | 'opensSocket'>): boolean {
  if (said || method === 'CONNECT') return true
  const upgrade = headers.get('upgrade')
  return upgrade !== null && /(^|,)\s*websocket\s*(,|\/|$)/i.test(upgrade)
}

/**
 * Whether a person sent this request as a form. Browsers apply the CSP `form-action` of the page
 * with the form to every redirect that follows. `form-action 'self'` is widespread, so the response
 * to a form must not redirect to another site.
 */
export function isSentForm({ method, headers }: Pick<AuthRequest, 'method' | 'headers'>): boolean {
  return method === 'POST' && headers.get('sec-fetch-mode') === 'navigate'
}

/** Whether a request may change something, by its method (RFC 9110 §9.2.1). */
function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS' && method !== 'TRACE'
}
