import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether a host, in the form of `URL.hostname`, is a loopback host. `core` has the same rule; a
 * test compares both.
 */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return parseHost(hostname)?.range() === 'loopback'
}

/** Whether a host, in the form of `URL.hostname`, is an IP address. */
export function isIpHost(hostname: string): boolean {
  return parseHost(hostname) !== undefined
}

function parseHost(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const text = hostname.replace(/^\[|\]$/g, '')
  return isIP(text) === 0 ? undefined : ipaddr.process(text)
}

/**
 * The canonical form of an IP address. An IPv4 address from an IPv6 socket, such as
 * `::ffff:192.0.2.1`, becomes IPv4. Other texts are returned unchanged.
 */
export function canonicalAddress(address: string): string {
  // Fast path, because every request calls this. Node accepts only canonical IPv4 addresses, so
  // they need no parsing.
  if (isIPv4(address)) return address
  return parseHost(address)?.toString() ?? address
}

/**
 * The network of a client, for limits. An IPv6 customer has a whole /64, so only the first half of
 * an IPv6 address counts. An IPv4 address is returned unchanged.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  const parsed = parseHost(address)
  if (parsed?.kind() !== 'ipv6') return address
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
