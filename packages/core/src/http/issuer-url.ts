/** Whether a host name always refers to this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    /^(::1|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname) ||
    /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(hostname)
  )
}

/**
 * Whether a URL has only an origin and a path, and uses https, or plain http on a loopback host.
 *
 * @param insecureHosts - More hosts on which plain http is allowed.
 */
export function isUsableUrl(url: URL | undefined, insecureHosts: readonly string[] = []): boolean {
  if (!url || url.search || url.hash || url.username || url.password) return false
  if (url.protocol !== 'http:') return url.protocol === 'https:'
  return isLoopbackHost(url.hostname) || insecureHosts.includes(url.hostname)
}

/** The end of a discovery document's URL (OIDC Discovery 1.0 §4). */
export const WELL_KNOWN = '/.well-known/openid-configuration'

/** The members of a discovery document that a login needs, besides `issuer`. */
export const REQUIRED_MEMBERS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The default URL of an issuer's discovery document. */
export function discoveryUrlOf(issuer: URL): URL {
  return new URL(issuer.pathname.replace(/\/$/, '') + WELL_KNOWN, issuer)
}

/**
 * The usable URL that is nearest to an unusable text: with a scheme (https on the web), and without
 * credentials, query and fragment. `undefined` for a text without a host.
 */
export function nearestUrl(found: string): URL | undefined {
  // A scheme other than http and https is taken for a typing error, and becomes https.
  const hasScheme = /^\w+:\/\//i.test(found)
  // A word without a dot or a port may be anything, even a secret in the wrong place.
  if (!hasScheme && !/^(localhost\b|[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)|\[)/.test(found))
    return undefined
  const url = URL.parse(
    hasScheme ? found.replace(/^(?!https?:)\w+:/i, 'https:') : `http://${found}`,
  )
  if (!url) return undefined
  const scheme = isLoopbackHost(url.hostname) ? url.protocol : 'https:'
  return URL.parse(`${scheme}//${url.host}${url.pathname}`) ?? undefined
}
