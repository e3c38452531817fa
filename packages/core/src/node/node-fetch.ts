import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type {
  ProviderAnswer,
  ProviderRequest,
  ProviderTransport,
} from '../provider/provider-fetch.ts'

/** How far providers are reached. */
export interface NodeFetchOptions {
  /** Refuses plain http and every address that is not public: loopback, private, link-local and so on. */
  readonly publicOnly?: boolean
  /** How names are looked up when only public addresses will do. Default the system's way. */
  readonly lookup?: LookupFunction
}

/** How a connection is made. */
interface Connection {
  readonly lookup?: LookupFunction
  readonly agent?: Agent
}

const LOOPBACK: Connection = {
  lookup(_hostname, options, callback) {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  },
}

/**
 * Reaches providers over node:http, on connections that are kept. Names that end in `.localhost` mean
 * this machine, as browsers have it and Node does not. Where only public addresses will do, they are
 * checked when the connection is made, after the name was looked up.
 */
export function createNodeTransport({
  publicOnly = false,
  lookup = systemLookup as LookupFunction,
}: NodeFetchOptions = {}): ProviderTransport {
  if (publicOnly) return publicTransport(lookup)
  return (address, request) => {
    const url = new URL(address)
    return send(url, request, url.hostname.endsWith('.localhost') ? LOOPBACK : {})
  }
}

function publicTransport(lookup: LookupFunction): ProviderTransport {
  let connection: Connection | undefined
  return async (address, request) => {
    const url = new URL(address)
    if (url.protocol !== 'https:') throw notPublic('only https is allowed')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !isPublicAddress(host)) throw notPublic()
    // Connections of its own: one that the application keeps open was not checked when it was made.
    connection ??= {
      lookup: publicLookup(lookup),
      agent: new (process.getBuiltinModule('node:https').Agent)({ keepAlive: true }),
    }
    return send(url, request, connection)
  }
}

function send(url: URL, request: ProviderRequest, connection: Connection): Promise<ProviderAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = moduleOf(url).request(url, {
      method: request.method,
      headers: { 'accept-encoding': 'identity', ...request.headers },
      ...connection,
      ...(request.signal ? { signal: request.signal } : {}),
    })
    const until = performance.now() + request.timeoutSeconds * 1000
    const timer = setTimeout(() => {
      reject(new DOMException('the exchange took too long', 'TimeoutError'))
      outgoing.destroy()
    }, request.timeoutSeconds * 1000)
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const timeoutSeconds = (until - performance.now()) / 1000
      if (!isStale(outgoing, error) || timeoutSeconds <= 0) return reject(error)
      send(url, { ...request, timeoutSeconds }, connection).then(resolve, reject)
    })
    outgoing.on('response', (incoming) => receive(incoming, request.maxBytes, resolve, reject))
    outgoing.end(request.body)
  })
}

/**
 * Taken when it is needed: importing `node:http` in a module loads all of undici with it, and TLS need
 * not be there before the first request, so this saves a fifth of an application's start.
 */
function moduleOf(url: URL): typeof import('node:http') | typeof import('node:https') {
  return url.protocol === 'https:'
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
}

/**
 * The other side gave up a kept connection at the moment it was taken up again. What is sent again may
 * have arrived the first time, but its answer is lost either way: a code or a refresh token that was
 * spent is then refused, as it would have been at the next attempt.
 */
function isStale(outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return outgoing.reusedSocket && error.code === 'ECONNRESET' && !outgoing.destroyed
}

function receive(
  incoming: IncomingMessage,
  maxBytes: number,
  resolve: (answer: ProviderAnswer) => void,
  reject: (error: unknown) => void,
): void {
  const status = incoming.statusCode ?? 502
  const headers: ProviderAnswer['headers'] = []
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.push([name, value])
  }
  const chunks: Buffer[] = []
  let size = 0
  const give = (body: string | undefined): void => resolve({ status, headers, body })
  incoming.on('error', reject)
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= maxBytes) return
    give(undefined)
    incoming.destroy()
  })
  incoming.on('end', () => give(new TextDecoder().decode(Buffer.concat(chunks))))
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
