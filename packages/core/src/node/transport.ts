import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { ProviderTransport } from '../provider/transport.ts'
import { type Connection, send, targetOf } from './exchange.ts'

/** The addresses that the transport may connect to. */
export interface NodeTransportOptions {
  /**
   * Refuses plain http, and addresses that are not public, such as loopback, private and link-local
   * ones.
   */
  readonly publicOnly?: boolean
  /** Looks up host names, with `publicOnly`. Default: the system's resolver. */
  readonly lookup?: LookupFunction
}

const LOOPBACK: Connection = {
  lookup(_hostname, options, callback) {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  },
}

/**
 * Sends requests to providers over node:http, with keep-alive. Names that end in `.localhost` mean
 * this machine, as in browsers. With `publicOnly`, the address is checked after its name was
 * resolved, at each connection.
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
