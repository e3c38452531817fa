import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether a host, as `URL.hostname` has it, is this very machine. `core` decides the same; a test compares both. */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return parseHost(hostname)?.range() === 'loopback'
}

/** Whether a host, as `URL.hostname` has it, is an IP address. */
export function isAddressHost(hostname: string): boolean {
  return parseHost(hostname) !== undefined
}

function parseHost(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const text = hostname.replace(/^\[|\]$/g, '')
  return isIP(text) === 0 ? undefined : ipaddr.process(text)
}

/** An IP address in its one writing; an IPv4 address that came in over an IPv6 socket, as IPv4. */
export function canonicalAddress(address: string): string {
  // Every request asks. Node accepts IPv4 addresses in their one writing alone, so they need no parsing.
  if (isIPv4(address)) return address
  return parseHost(address)?.toString() ?? address
}

/**
 * The network of a client: an IPv6 customer has a whole /64, so only the first half of the address
 * counts.
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
