/**
 * The issuer identifier of a tenant: `https://` and its domain, never taken from a request.
 *
 * @param options - `allowHttpOnLoopback`: whether a domain on this very machine is served over plain
 *   http. It is for development: whoever can listen on the machine's loopback reads the passwords.
 */
export function issuerUrl(domain: string, options: { allowHttpOnLoopback: boolean }): string {
  const isPlain = options.allowHttpOnLoopback && isLoopback(domain)
  return `${isPlain ? 'http' : 'https'}://${domain}`
}

/** Whether a domain, with or without a port, is this very machine. */
export function isLoopback(domain: string): boolean {
  const hostname = URL.parse(`http://${domain}`)?.hostname ?? ''
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '127.0.0.1' ||
    hostname === '[::1]'
  )
}

/**
 * Whether browsers are told to come back over TLS only. An issuer is on https or it is not there, so
 * they may hold to that. They would hold all applications of a developer's machine to it as well, so
 * it is not said there.
 *
 * @see RFC 6797 §7.1
 */
export function mustStaySecure(issuer: URL): boolean {
  return issuer.protocol === 'https:' && !isLoopback(issuer.host)
}
