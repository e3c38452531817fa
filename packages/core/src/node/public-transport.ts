import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { ProviderTransport } from '../provider/transport.ts'
import { isPublicAddress, notPublic, publicLookup } from './address-guard.ts'
import { type Connection, send, targetOf } from './exchange.ts'

/** Makes the transport of `createNodeTransport({ publicOnly: true })`. */
export function createPublicTransport(
  lookup: LookupFunction = systemLookup as LookupFunction,
): ProviderTransport {
  // A separate agent, because the application's own open connections were not checked.
  const connection: Connection = {
    lookup: publicLookup(lookup),
    agent: new (process.getBuiltinModule('node:https').Agent)({ keepAlive: true }),
  }
  return async (address, request) => {
    const url = new URL(address)
    if (url.protocol !== 'https:') throw notPublic('only https is allowed')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !isPublicAddress(host)) throw notPublic()
    return send(targetOf(address), request, connection)
  }
}
