import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../domain/errors.ts'
import { userAgentOf } from '../server/client.ts'
import { StoreError } from '../store/errors.ts'
import type { IssuerContext } from './context.ts'
import { type FlowRequest, originOf, show } from './interaction/flow-request.ts'
import { handleFlow } from './interaction/pages.ts'
import type { Site } from './provider/directory.ts'
import { type Providers, STORE_RETRY_SECONDS } from './provider/providers.ts'
import { isFormRequest } from './requests/as-get.ts'
import { isBrokenOff, RequestRefused, sendText } from './requests/http.ts'
import { tooLong } from './requests/parameter-limits.ts'
import { setFacts } from './requests/request-facts.ts'

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
      const host = request.headers.host?.toLowerCase()
      const site = host === undefined ? undefined : await context.directory.siteAt(host)
      if (!site) return false
      await answer(site, request, response)
    } catch (error) {
      if (!isBrokenOff(request)) context.logger.error({ err: error }, 'The issuer failed.')
      if (response.headersSent) response.destroy()
      else
        sendText(response, statusOf(error), 'Something went wrong on our side. Please try again.')
    }
    return true
  }

  async function answer(
    { tenant, issuer, url: { protocol, host }, mustStaySecure }: Site,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const facts = {
      tenant,
      issuer,
      clientIp: context.clientIp(request),
      userAgent: userAgentOf(request),
      requestId: randomUUID(),
    }
    setFacts(request, facts)
    pinIssuer(request, protocol, host)
    response.setHeader('request-id', facts.requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    if (mustStaySecure) {
      response.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY)
    }

    const { provider, handle } = await providers.of(tenant)
    const url = urlOf(request, issuer)
    const isProtocol = isProtocolPath(url)
    const seconds = isProtocol ? await context.counts.countRequest(facts.clientIp) : undefined
    if (seconds !== undefined) {
      response.setHeader('retry-after', seconds)
      return sendText(response, 429, `Too many requests from your network; wait ${seconds} s.`)
    }
    const flow = { context, provider, facts, tenant, url, request, response }
    const detail = tooLong(url)
    if (detail !== undefined) {
      const page = { title: 'errorTitle', text: 'errorText', detail } as const
      return show({ ...flow, ...originOf(request, url) }, 400, 'message', page)
    }
    if (isProtocol && !isFormRequest(request, url)) await handle(request, response)
    else await guarded({ ...flow, ...originOf(request, url) })
  }

  async function guarded(flow: FlowRequest): Promise<void> {
    try {
      await handleFlow(flow)
    } catch (error) {
      const status = statusOf(error)
      if (status >= 500 && !isBrokenOff(flow.request))
        context.logger.error({ err: error }, 'A page failed.')
      if (flow.response.headersSent) return void flow.response.destroy()
      const retry = error instanceof ServiceError ? error.retryAfterSeconds : undefined
      const seconds = retry ?? (status === 503 ? STORE_RETRY_SECONDS : undefined)
      const headers: Record<string, string> = seconds ? { 'retry-after': String(seconds) } : {}
      const text = status >= 500 ? 'errorServer' : 'errorForm'
      show(flow, status, 'message', { title: 'errorTitle', text }, headers)
    }
  }
}

function isProtocolPath({ pathname }: URL): boolean {
  return /^\/(oidc|\.well-known)\//.test(pathname)
}

function statusOf(error: unknown): number {
  if (error instanceof StoreError) return 503
  const isKnown = error instanceof RequestRefused || error instanceof ServiceError
  return isKnown ? error.statusCode : 500
}

/** A target that is no path, such as `//host/`, must not change the host. */
function urlOf(request: IncomingMessage, issuer: string): URL {
  const target = request.url ?? '/'
  return URL.parse(`${issuer}${target.startsWith('/') ? target : '/'}`) ?? new URL(issuer)
}

function pinIssuer(request: IncomingMessage, protocol: string, host: string): void {
  for (const name of Object.keys(request.headers)) {
    if (FORWARDING_HEADER.test(name)) delete request.headers[name]
  }
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = host
}
