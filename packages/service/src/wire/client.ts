import type { IncomingMessage } from 'node:http'
import { isIP, SocketAddress } from 'node:net'
import proxyaddr from 'proxy-addr'
import { canonicalAddress } from '../domain/writes/addresses.ts'

/** The address of the client, as far as the configured proxies can be trusted for it. */
export interface ClientIp {
  (request: IncomingMessage): string
  /** Whether a request comes from a configured proxy, whose headers are accepted. */
  isProxied(request: IncomingMessage): boolean
}

/** Logs a warning. */
interface Warner {
  warn(facts: object, message: string): void
}

/** How many characters of a `User-Agent` the audit log stores. */
const MAX_USER_AGENT = 256

/** How many addresses are logged because of an untrusted header. Anyone can send one. */
const MAX_WARNINGS = 10

/**
 * Reads `X-Forwarded-For` from the right, as long as a configured proxy has added the entry.
 * Entries further left may be forged by the client, and are ignored.
 *
 * @param trustedProxies - Addresses or networks, such as `10.0.0.0/8`.
 * @throws TypeError for any other text.
 */
export function createClientIp(trustedProxies: readonly string[], logger: Warner): ClientIp {
  const isTrusted = proxyaddr.compile([...trustedProxies])
  const warned = new Set<string>()

  function warn(address: string): void {
    if (address === '' || warned.has(address) || warned.size >= MAX_WARNINGS) return
    warned.add(address)
    logger.warn(
      { address },
      'This address sends X-Forwarded-For, which is not believed. If it is your proxy, all its visitors now share one rate limit: name it in trustedProxies (--trusted-proxy).',
    )
  }

  function clientIp(request: IncomingMessage): string {
    let address = canonicalAddress(request.socket.remoteAddress ?? '')
    const header = request.headers['x-forwarded-for']
    if (header === undefined) return address
    if (!isTrusted(address, 0)) warn(address)
    const hops = String(header).split(',')
    for (let i = 0; isTrusted(address, i) && hops.length > 0; i++) {
      const previous = addressOf(hops.pop()?.trim() ?? '')
      if (previous === undefined) break
      address = previous
    }
    return address
  }
  return Object.assign(clientIp, {
    isProxied: ({ socket }: IncomingMessage) =>
      isTrusted(canonicalAddress(socket.remoteAddress ?? ''), 0),
  })
}

/** The `User-Agent` of a browser or program, cut off after the maximum length. */
export function userAgentOf({ headers }: IncomingMessage): string | undefined {
  return headers['user-agent']?.slice(0, MAX_USER_AGENT)
}

/** The address of an entry such as `203.0.113.7`, `203.0.113.7:5678` or `[2001:db8::7]:5678`. */
function addressOf(hop: string): string | undefined {
  const address = isIP(hop) === 0 ? SocketAddress.parse(hop)?.address : hop
  return address === undefined ? undefined : canonicalAddress(address)
}
