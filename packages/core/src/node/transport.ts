import type { LookupFunction } from 'node:net'
import type { ProviderTransport } from '../provider/transport.ts'
import { type Connection, send, targetOf } from './exchange.ts'

/** The options of {@link createNodeTransport}. */
export interface NodeTransportOptions {
  /**
   * Refuses plain http, and addresses that are not public, such as loopback, private and link-local
   * addresses.
   */
  readonly publicOnly?: boolean
  /** Looks up host names if `publicOnly` is set. Default: the system's resolver. */
  readonly lookup?: LookupFunction
}

const LOOPBACK: Connection = {
  lookup(_hostname, options, callback) {
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }])
    else callback(null, '127.0.0.1', 4)
  },
}

/**
 * Makes a transport that sends requests to providers over node:http, with keep-alive. Names that
 * end in `.localhost` mean this machine, as in browsers. With `publicOnly`, each new connection
 * checks the addresses to which the host name resolves.
 */
export function createNodeTransport({
  publicOnly = false,
  lookup,
}: NodeTransportOptions = {}): ProviderTransport {
  if (publicOnly) return publicTransport(lookup)
  return (address, request) => {
    const target = targetOf(address)
    return send(target, request, target.hostname?.endsWith('.localhost') ? LOOPBACK : {})
  }
}

/**
 * Loads the guard of addresses at the first request, because an application with one issuer never
 * needs it.
 */
function publicTransport(lookup: LookupFunction | undefined): ProviderTransport {
  let transport: ProviderTransport | undefined
  return async (address, request) => {
    const { createPublicTransport } = await import('./public-transport.ts')
    transport ??= createPublicTransport(lookup)
    return transport(address, request)
  }
}
