import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The range of public IPv6 addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a text is an IP address of the public internet. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/** Wraps a DNS look-up, so that it fails if one of the addresses found is not public. */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses = found as LookupAddress[]
      const refused = addresses.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses
      if (refused || !first) return callback(notPublic(), [])
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** The error for an address to which no connection is made. */
export function notPublic(message = 'the address is not public'): TypeError & { code: string } {
  return Object.assign(new TypeError(message), { code: 'ERR_ADDRESS_NOT_PUBLIC' })
}
