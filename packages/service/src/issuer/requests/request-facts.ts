import type { IncomingMessage } from 'node:http'
import type { Scope } from '../../domain/writes/context.ts'
import type { Micros, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'

/** The facts about a request, known before it is answered. */
export interface RequestFacts {
  /** The tenant of the requested domain, with its current settings. */
  tenant: Tenant
  issuer: string
  /** The IP address of the client, as far as the configured proxies can be trusted for it. */
  clientIp: string
  userAgent: string | undefined
  requestId: string
  /** The time at which the request arrived, before all changes that it makes. */
  startedAt: Micros
  /** The operator's login as the user in this browser, if any. */
  acting?: ShownActing | undefined
}

/** An operator's login as a user, for the banner of each page. */
export interface ShownActing {
  id: string
  /** The `uid` of the session, from which the CSRF token of the form is derived. */
  uid: string
  /** The name of the operator in tokens. */
  by: string
  /** The email address of the user. */
  email: string
  /** The end of the login, in seconds since the epoch. */
  until: number
}

/** The scope for operations of the domain, with the actor of a request. */
export function scopeOfRequest(
  { domain }: Pick<IssuerContext, 'domain'>,
  { tenant, requestId, clientIp, userAgent }: RequestFacts,
  who: { userId?: string | undefined; applicationId?: string | undefined },
): Scope {
  const name = who.userId === undefined ? 'visitor' : `user:${who.userId}`
  const { applicationId } = who
  const actor = { name, requestId, address: clientIp || undefined, userAgent, applicationId }
  return { context: domain, actor, tenantId: tenant.id }
}

const facts = new WeakMap<IncomingMessage, RequestFacts>()

/** Attaches the facts to the request. */
export function setFacts(request: IncomingMessage, known: RequestFacts): void {
  facts.set(request, known)
}

/** The facts that {@link setFacts} attached. Throws if no facts are attached. */
export function factsOf(request: IncomingMessage): RequestFacts {
  const known = facts.get(request)
  if (!known) throw new Error('The request did not come through the dispatcher.')
  return known
}
