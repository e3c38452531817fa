import type { IncomingMessage } from 'node:http'
import { isIP, SocketAddress } from 'node:net'
import proxyaddr from 'proxy-addr'
import { canonicalAddress } from '../domain/writes/addresses.ts'

/**
 * A function that returns the IP address of the client of a request; see {@link createClientIp}.
 */
export interface ClientIp {
  (request: IncomingMessage): string
  /** Whether a request comes from a configured proxy, whose headers are accepted. */
  isProxied(request: IncomingMessage): boolean
}

/** A logger for warnings. */
interface Warner {
  warn(facts: object, message: string): void
}

/** The maximum number of characters of a `User-Agent` that the audit log stores. */
const MAX_USER_AGENT = 256

/**
 * The maximum number of addresses that are logged because of an untrusted header. There is a limit,
 * because anyone can send such a header.
 */
const MAX_WARNINGS = 10

/**
 * Makes the function that finds the IP address of a client. It reads `X-Forwarded-For` from the
 * right, as long as a configured proxy has added the entry. Entries further left may be forged by
 * the client, and are ignored. A warning names each address that sends the header without being a
 * configured proxy.
 *
 * @param trustedProxies - The IP addresses or networks of the proxies, such as `10.0.0.0/8`.
 * @throws TypeError if a text in `trustedProxies` is no address and no network.
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

/**
 * The `User-Agent` of a request, cut off after {@link MAX_USER_AGENT} characters; `undefined`
 * without the header.
 */
export function userAgentOf({ headers }: IncomingMessage): string | undefined {
  return headers['user-agent']?.slice(0, MAX_USER_AGENT)
}

/**
 * The IP address in an entry such as `203.0.113.7`, `203.0.113.7:5678` or `[2001:db8::7]:5678`;
 * `undefined` for other text.
 */
function addressOf(hop: string): string | undefined {
  const address = isIP(hop) === 0 ? SocketAddress.parse(hop)?.address : hop
  return address === undefined ? undefined : canonicalAddress(address)
}
