import { isLoopbackHost } from './issuer-url.ts'
import { type AuthRequest, partsOf } from './request.ts'

/** Values of `NODE_ENV` under which the kit may help the developer. */
const DEVELOPMENT: ReadonlySet<string | undefined> = new Set([undefined, '', 'development', 'test'])

/**
 * Whether this is a developer's machine: every base URL is on loopback, and `NODE_ENV` is `development`,
 * `test` or not set. An environment that cannot be read and a value that is not known are production.
 */
export function isDevelopment(
  environment: Readonly<Record<string, string | undefined>> | undefined,
  baseUrls: readonly URL[],
): boolean {
  if (!environment || !DEVELOPMENT.has(environment.NODE_ENV)) return false
  return baseUrls.every(({ hostname }) => isLoopbackHost(hostname))
}

/** Where the page of the flight recorder is. */
export function recorderPath(baseUrl: URL): string {
  return `${partsOf(baseUrl).prefix}/__latchkey`
}

/** Headers that proxies and tunnels add: the browser may be on another machine. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const

/**
 * Whether a request comes from this machine, and from this site or the address bar. The connection, the
 * name in `Host` (against DNS rebinding) and what the browser says of the page all have to fit; what is
 * not known does not fit.
 */
export function isLocalRequest({ headers, remoteAddress }: AuthRequest, baseUrl: URL): boolean {
  if (!remoteAddress || !LOOPBACK_ADDRESS.test(remoteAddress)) return false
  if (OF_PROXIES.some((name) => headers.get(name) !== null)) return false
  const host = `http://${headers.get('host') ?? headers.get(':authority') ?? ''}`
  if (!URL.canParse(host) || !isLoopbackHost(new URL(host).hostname)) return false
  const origin = headers.get('origin')
  if (origin !== null && origin !== baseUrl.origin) return false
  const site = headers.get('sec-fetch-site')
  const isOwn = site === null || site === 'same-origin' || site === 'none'
  // A link on another page may lead here: what it opens is a page of its own, which no other can read.
  return isOwn || headers.get('sec-fetch-dest') === 'document'
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i
