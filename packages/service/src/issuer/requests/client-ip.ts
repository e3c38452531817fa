import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The address of the client, as far as the configured proxies vouch for it. */
export type ClientIp = (request: IncomingMessage) => string

/**
 * Reads `X-Forwarded-For` from the right for as long as a configured proxy added the entry; what a
 * client wrote itself is further left and is never believed.
 *
 * @param trustedProxies - Addresses or networks, such as `10.0.0.0/8`.
 * @throws TypeError for anything else.
 */
export function createClientIp(trustedProxies: readonly string[]): ClientIp {
  const trusted = new BlockList()
  for (const text of trustedProxies) addProxy(trusted, text)

  function isTrusted(address: string): boolean {
    const version = isIP(address)
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }

  return (request) => {
    let address = canonical(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0) return address
    const header = request.headers['x-forwarded-for']
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')
    while (isTrusted(address) && hops.length > 0) {
      const previous = canonical(hops.pop()?.trim() ?? '')
      if (isIP(previous) === 0) break
      address = previous
    }
    return address
  }
}

function addProxy(list: BlockList, text: string): void {
  const [address = '', prefix] = text.split('/')
  const version = isIP(address)
  if (version === 0) throw new TypeError(`"${text}" is not an IP address or network of a proxy.`)
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(prefix), family)
}

/** An IPv4 address that came in over an IPv6 socket, as IPv4. */
function canonical(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
