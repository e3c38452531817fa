import { isLoopbackHost } from '../../domain/writes/addresses.ts'

/**
 * The issuer identifier of a tenant: `https://` and its domain, never taken from a request.
 *
 * @param options - `allowHttpOnLoopback`: whether domains on this machine have `http://`. Only for
 *   development, because a program that listens on the machine's loopback can read passwords.
 */
export function issuerUrl(domain: string, options: { allowHttpOnLoopback: boolean }): string {
  const url = new URL(`https://${domain}`)
  const isPlain = options.allowHttpOnLoopback && isLoopbackHost(url.hostname)
  return `${isPlain ? 'http' : 'https'}://${domain}`
}

/**
 * Whether responses tell browsers to use only TLS from now on: over HTTPS, except on loopback.
 * There, the rule would also apply to all other applications on a developer's machine.
 *
 * @see RFC 6797 §7.1
 */
export function mustStaySecure(issuer: URL): boolean {
  return issuer.protocol === 'https:' && !isLoopbackHost(issuer.hostname)
}
