import ipaddr from 'ipaddr.js'

/** Whether a host, as `URL.hostname` has it, is this very machine. */
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
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined
}
