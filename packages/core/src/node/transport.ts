import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { ProviderTransport } from '../provider/transport.ts'
import { type Connection, send, targetOf } from './exchange.ts'

/** Which addresses the transport may connect to. */
export interface NodeTransportOptions {
  /** Refuses plain http and every address that is not public: loopback, private, link-local and so on. */
  readonly publicOnly?: boolean
  /** How names are looked up when only public addresses will do. Default the system's way. */
  readonly lookup?: LookupFunction
}

const LOOPBACK: Connection = {
  lookup(_hostname, options, callback) {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  },
}

/**
 * Reaches providers over node:http, on connections that are kept. Names that end in `.localhost`
 * mean this machine, as in browsers, unlike in Node. If only public addresses are allowed, the
 * address is checked when the connection is made, after the name was resolved.
 */
export function createNodeTransport({
  publicOnly = false,
  lookup = systemLookup as LookupFunction,
}: NodeTransportOptions = {}): ProviderTransport {
  if (publicOnly) return publicTransport(lookup)
  return (address, request) => {
    const target = targetOf(address)
    return send(target, request, target.hostname?.endsWith('.localhost') ? LOOPBACK : {})
  }
}

function publicTransport(lookup: LookupFunction): ProviderTransport {
  let connection: Connection | undefined
  return async (address, request) => {
    // Taken when it is needed: an application with one issuer never does.
    const guard = await import('./address-guard.ts')
    const url = new URL(address)
    if (url.protocol !== 'https:') throw guard.notPublic('only https is allowed')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !guard.isPublicAddress(host)) throw guard.notPublic()
    // Connections of its own: one that the application keeps open was not checked when it was made.
    connection ??= {
      lookup: guard.publicLookup(lookup),
      agent: new (process.getBuiltinModule('node:https').Agent)({ keepAlive: true }),
    }
    return send(targetOf(address), request, connection)
  }
}
