import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../domain/errors.ts'
import type { Tenant } from '../store/records.ts'
import type { IssuerContext } from './context.ts'
import { type FlowRequest, handleFlow, isFormRequest, originOf, show } from './flows/index.ts'
import { RequestRefused, sendText } from './http.ts'
import { isLoopback, issuerUrl } from './issuer-url.ts'
import type { Providers } from './providers.ts'
import { setFacts } from './request-facts.ts'

/** Headers by which a proxy speaks for a client. None of them may decide what the issuer says. */
const FORWARDING_HEADER = /^(forwarded|x-forwarded-.*|x-real-ip|x-original-.*)$/

/** A year. What else the customer serves below the domain is the customer's to decide. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/**
 * Finds the tenant by the `Host` header and answers as its issuer; `false` when no tenant has that
 * host, and nothing was answered.
 *
 * oidc-provider derives URLs from the request; it gets to see the issuer's own protocol and host and
 * nothing that a client or proxy sent.
 */
export function createDispatcher(
  context: IssuerContext,
  providers: Providers,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    try {
      const tenant = await tenantOf(context, request)
      if (!tenant) return false
      await answer(tenant, request, response)
    } catch (error) {
      context.logger.error({ err: error }, 'The issuer failed.')
      if (response.headersSent) response.destroy()
      else sendText(response, 500, 'Something went wrong on our side. Please try again.')
    }
    return true
  }

  async function answer(
    tenant: Tenant,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const issuer = issuerUrl(tenant.settings.domain, context)
    const facts = { tenant, issuer, clientIp: context.clientIp(request), requestId: randomUUID() }
    setFacts(request, facts)
    pinIssuer(request, new URL(issuer))
    response.setHeader('request-id', facts.requestId)
    if (mustStaySecure(new URL(issuer))) {
      response.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY)
    }

    const provider = await providers.of(tenant)
    const url = urlOf(request, issuer)
    if (isProtocolPath(url) && !isFormRequest(request, url)) {
      await provider.callback()(request, response)
    } else {
      const flow = { context, provider, facts, tenant, url, request, response }
      await guarded({ ...flow, ...originOf(request, url, issuer) })
    }
  }

  async function guarded(flow: FlowRequest): Promise<void> {
    try {
      await handleFlow(flow)
    } catch (error) {
      const status = statusOf(error)
      if (status >= 500) context.logger.error({ err: error }, 'A page failed.')
      if (flow.response.headersSent) return void flow.response.destroy()
      const retry = error instanceof ServiceError ? error.retryAfterSeconds : undefined
      const headers: Record<string, string> = retry ? { 'retry-after': String(retry) } : {}
      const text = status >= 500 ? 'errorServer' : 'errorForm'
      show(flow, status, 'message', { title: 'errorTitle', text }, headers)
    }
  }
}

function isProtocolPath({ pathname }: URL): boolean {
  return /^\/(oidc|\.well-known)\//.test(pathname)
}

function statusOf(error: unknown): number {
  const isKnown = error instanceof RequestRefused || error instanceof ServiceError
  return isKnown ? error.statusCode : 500
}

/** A target that is no path, such as `//host/`, must not change the host. */
function urlOf(request: IncomingMessage, issuer: string): URL {
  const target = request.url ?? '/'
  return URL.parse(`${issuer}${target.startsWith('/') ? target : '/'}`) ?? new URL(issuer)
}

async function tenantOf(
  context: IssuerContext,
  request: IncomingMessage,
): Promise<Tenant | undefined> {
  const host = request.headers.host?.toLowerCase()
  return host === undefined ? undefined : context.domain.store.tenants.findByDomain(host)
}

/**
 * An issuer is on https or it is not there, so browsers may hold to that. They would hold all
 * applications of a developer's machine to it as well, so it is not said there.
 *
 * @see RFC 6797 §7.1
 */
function mustStaySecure(issuer: URL): boolean {
  return issuer.protocol === 'https:' && !isLoopback(issuer.host)
}

function pinIssuer(request: IncomingMessage, issuer: URL): void {
  for (const name of Object.keys(request.headers)) {
    if (FORWARDING_HEADER.test(name)) delete request.headers[name]
  }
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = issuer.host
}
