import { isLoopbackHost } from '../../domain/writes/addresses.ts'

/**
 * The issuer identifier of a tenant: `https://` and its domain, never taken from a request.
 *
 * @param options - `allowHttpOnLoopback`: whether a domain on this machine is served over plain HTTP. It is for
 *   development: a program that listens on the machine's loopback reads the passwords.
 */
export function issuerUrl(domain: string, options: { allowHttpOnLoopback: boolean }): string {
  const url = new URL(`https://${domain}`)
  const isPlain = options.allowHttpOnLoopback && isLoopbackHost(url.hostname)
  return `${isPlain ? 'http' : 'https'}://${domain}`
}

/**
 * Whether browsers are told to come back over TLS only. An issuer is on https or it is not there, so
 * they may hold to that. They would hold all applications of a developer's machine to it as well, so
 * it is not said there.
 *
 * @see RFC 6797 §7.1
 */
export function mustStaySecure(issuer: URL): boolean {
  return issuer.protocol === 'https:' && !isLoopbackHost(issuer.hostname)
}
