import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

/** How far a `fetch` reaches. */
export interface NodeFetchOptions {
  /** Refuses plain http and every address that is not public: loopback, private, link-local and so on. */
  readonly publicOnly?: boolean
  /** How names are looked up when only public addresses will do. Default the system's way. */
  readonly lookup?: LookupFunction
}

/**
 * A `fetch` for providers. Names that end in `.localhost` mean this machine, as browsers have it and
 * Node does not; everything else goes through the global `fetch`, unless it must be guarded: then the
 * address is checked when the connection is made, after the name was looked up.
 */
export function createNodeFetch({
  publicOnly = false,
  lookup = systemLookup as LookupFunction,
}: NodeFetchOptions = {}): typeof fetch {
  // Connections of its own: one that the application keeps open was not checked when it was made.
  const guarded = publicOnly
    ? { lookup: publicLookup(lookup), agent: new HttpsAgent({ keepAlive: true }) }
    : undefined
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (guarded) {
      if (url.protocol !== 'https:') throw notPublic('only https is allowed')
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) && !isPublicAddress(host)) throw notPublic()
      return send(url, init, guarded)
    }
    if (url.hostname.endsWith('.localhost')) return send(url, init, { lookup: loopbackLookup })
    return fetch(input, init)
  }
}

function send(
  url: URL,
  init: RequestInit = {},
  connection: { readonly lookup: LookupFunction; readonly agent?: HttpsAgent },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = start(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...connection,
      ...(init.signal ? { signal: init.signal } : {}),
    })
    request.on('error', reject)
    request.on('response', (incoming) => {
      const headers = new Headers()
      for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
        for (const value of values) headers.append(name, value)
      }
      const status = incoming.statusCode ?? 502
      const empty = status === 204 || status === 205 || status === 304
      const body = empty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
      if (empty) incoming.resume()
      resolve(new Response(body, { status, headers }))
    })
    const { body } = init
    request.end(body === undefined || body === null ? undefined : String(body))
  })
}

const loopbackLookup: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

/** Looks names up, and finds nothing where one of the addresses is not public. */
function publicLookup(lookup: LookupFunction): LookupFunction {
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

function notPublic(message = 'the address is not public'): TypeError & { code: string } {
  return Object.assign(new TypeError(message), { code: 'ERR_ADDRESS_NOT_PUBLIC' })
}

/** Whether a text is an IP address that anybody on the internet could have. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reservedIpv4.check(address, 'ipv4')
    case 6:
      return !reservedIpv6.check(address, 'ipv6')
    default:
      return false
  }
}

const RESERVED_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
const RESERVED_IPV6 =
  '::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8'

// Two lists: an IPv4 address would also match the IPv6 range that maps all of them.
const reservedIpv4 = blockList(RESERVED_IPV4, 'ipv4')
const reservedIpv6 = blockList(RESERVED_IPV6, 'ipv6')

function blockList(ranges: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges.split(' ')) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
