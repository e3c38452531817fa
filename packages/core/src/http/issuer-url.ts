/** Whether a host only ever means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

/**
 * An https URL, or plain http on a loopback host, with nothing but an origin and a path.
 *
 * @param insecureHosts - More hosts on which plain http will do.
 */
export function isUsableUrl(url: URL | undefined, insecureHosts: readonly string[] = []): boolean {
  if (!url || url.search || url.hash || url.username || url.password) return false
  if (url.protocol !== 'http:') return url.protocol === 'https:'
  return isLoopbackHost(url.hostname) || insecureHosts.includes(url.hostname)
}

/** The end of a discovery document's address (OIDC Discovery 1.0 §4). */
export const WELL_KNOWN = '/.well-known/openid-configuration'

/** The members of a discovery document that a login cannot do without, beside `issuer`. */
export const REQUIRED_MEMBERS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The default address of an issuer's discovery document. */
export function discoveryUrlOf(issuer: URL): URL {
  return new URL(issuer.pathname.replace(/\/$/, '') + WELL_KNOWN, issuer)
}
