import type { IncomingMessage } from 'node:http'
import type { Tenant } from '../../store/records.ts'

/** What is known about a request before anything answers it. */
export interface RequestFacts {
  /** Whose domain was asked, with its settings as they are now. */
  tenant: Tenant
  issuer: string
  /** The address of the client, as far as the configured proxies vouch for it. */
  clientIp: string
  requestId: string
}

const facts = new WeakMap<IncomingMessage, RequestFacts>()

/** Attaches what is known to the request. */
export function setFacts(request: IncomingMessage, known: RequestFacts): void {
  facts.set(request, known)
}

/** What {@link setFacts} attached. */
export function factsOf(request: IncomingMessage): RequestFacts {
  const known = facts.get(request)
  if (!known) throw new Error('The request did not come through the dispatcher.')
  return known
}
