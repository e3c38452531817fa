import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptsRegistration } from '../domain/tenants/client-documents.ts'
import { nowMicros } from '../domain/writes/context.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { StoreError } from '../store/errors.ts'
import { nameRoute } from '../telemetry/route.ts'
import { traceTenant } from '../telemetry/tracing.ts'
import { userAgentOf } from '../wire/client.ts'
import { createRouter } from '../wire/router.ts'
import { accountRoutes } from './account/index.ts'
import type { IssuerContext } from './context.ts'
import { showActing, showNotFound } from './interaction/flow/dead-end.ts'
import { type FlowRequest, originOf, show } from './interaction/flow/flow-request.ts'
import type { PageRoute } from './interaction/flow/page-route.ts'
import { showTooMany } from './interaction/flow/too-many.ts'
import { hostedPages } from './interaction/routes/pages.ts'
import type { Site } from './provider/directory.ts'
import { type Providers, STORE_RETRY_SECONDS } from './provider/providers.ts'
import { formPaths, repeatAsGet } from './requests/as-get.ts'
import { isBrokenOff, RequestRefused, sendText } from './requests/http.ts'
import { tooLong } from './requests/parameter-limits.ts'
import { endpoints, isProtocolPath, paths } from './requests/paths.ts'
import { type RequestFacts, setFacts } from './requests/request-facts.ts'
import { actingIn } from './sessions/acting.ts'

/**
 * Finds the route of a request. oidc-provider also accepts paths in other letter case and with a
 * trailing slash, which would bypass rules that compare paths. So oidc-provider gets only requests
 * whose path is exactly that of an endpoint.
 */
const findRoute = createRouter<PageRoute | (typeof endpoints)[number]>([
  ...endpoints,
  ...formPaths.map((path) => {
    const isForActing = isProtocolPath(path)
    return { method: 'POST', path, isForActing, run: repeatAsGet } as const
  }),
  ...hostedPages,
  ...accountRoutes,
])

/** The allowed methods for a path without a route. */
const PAGE = ['GET', 'HEAD', 'POST']

/** Matches the headers that a proxy adds about a client. The issuer ignores all of them. */
const FORWARDING_HEADER = /^(forwarded|x-forwarded-.*|x-real-ip|x-original-.*)$/

/** The value of `Strict-Transport-Security`: one year. Subdomains are up to the customer. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

/**
 * Creates the request handler of all issuers. It finds the tenant by the `Host` header, and answers
 * as its issuer. Resolves to `false`, without an answer, if no tenant has that host.
 *
 * oidc-provider derives URLs from the request. So oidc-provider gets the issuer's own protocol and
 * host, never those from a client or proxy.
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
      if (response.headersSent) {
        response.destroy()
        return true
      }
      const status = statusOf(error)
      if (status === 503) response.setHeader('retry-after', STORE_RETRY_SECONDS)
      sendText(response, status, 'Something went wrong on our side. Please try again.')
    }
    return true
  }

  async function answer(
    { tenant, issuer, url: { protocol, host }, mustStaySecure }: Site,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const facts: RequestFacts = {
      tenant,
      issuer,
      clientIp: context.clientIp(request),
      userAgent: userAgentOf(request),
      requestId: randomUUID(),
      startedAt: nowMicros(context.domain.clock),
    }
    setFacts(request, facts)
    traceTenant(tenant.id)
    pinIssuer(request, protocol, host)
    response.setHeader('request-id', facts.requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    if (mustStaySecure) {
      response.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY)
    }

    const { provider, handle } = await providers.of(tenant)
    const url = urlOf(request, issuer)
    const origin = originOf(request, url)
    const flow = { context, provider, facts, tenant, url, request, response, ...origin }
    const isProtocol = isProtocolPath(url.pathname)
    const seconds = isProtocol ? await context.counts.countRequest(facts.clientIp) : undefined
    if (seconds !== undefined) return showTooMany(flow, seconds)

    const { method = '' } = request
    const { found, params, methods, path = 'other' } = findRoute(url.pathname, method)
    nameRoute(request, found && 'name' in found ? found.name : path)
    const allowed = methods.length > 0 ? methods : PAGE
    if (!allowed.includes(method) || isPlainOptions(request)) {
      const page = { title: 'errorTitle', text: 'errorMethod', values: { method } } as const
      return show(flow, 405, 'message', page, { allow: allowed.join(', ') })
    }
    const detail = tooLong(url)
    if (detail !== undefined) {
      return show(flow, 400, 'message', { title: 'errorTitle', text: 'errorText', detail })
    }
    const isOff = path === paths.registration && !acceptsRegistration(tenant)
    if (!found || isOff) await guarded(flow, showNotFound)
    else if ('run' in found) await guarded(flow, (asked) => runPage(asked, found, params))
    else if (path.startsWith(paths.code_verification)) {
      // The page for device codes begins a login, which is refused while an operator acts for the
      // user.
      facts.acting = await actingIn(context, provider, tenant, [request, response])
      if (facts.acting) return showActing(flow)
      await handle(request, response)
    } else await handle(request, response)
  }

  /**
   * Refuses most pages if an operator acts for the user, and adds the banner to the other pages.
   */
  async function runPage(
    flow: FlowRequest,
    page: PageRoute,
    params: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { provider, tenant, facts, request, response } = flow
    if (page.name !== 'asset') {
      facts.acting = await actingIn(context, provider, tenant, [request, response])
    }
    if (facts.acting && !page.isForActing) return showActing(flow)
    await page.run(flow, params)
  }
}

/** Runs a page. If it fails, answers with an error page, and logs faults of the service. */
async function guarded(
  flow: FlowRequest,
  run: (flow: FlowRequest) => void | Promise<void>,
): Promise<void> {
  try {
    await run(flow)
  } catch (error) {
    const status = statusOf(error)
    if (status >= 500 && !isBrokenOff(flow.request))
      flow.context.logger.error({ err: error }, 'A page failed.')
    if (flow.response.headersSent) return void flow.response.destroy()
    const retry = error instanceof ServiceError ? error.retryAfterSeconds : undefined
    const seconds = retry ?? (status === 503 ? STORE_RETRY_SECONDS : undefined)
    const headers: Record<string, string> = seconds ? { 'retry-after': String(seconds) } : {}
    const text = status >= 500 ? 'errorServer' : 'errorForm'
    show(flow, status, 'message', { title: 'errorTitle', text }, headers)
  }
}

/** Whether this is an `OPTIONS` request, but not a preflight. */
function isPlainOptions({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && !headers['access-control-request-method']
}

function statusOf(error: unknown): number {
  if (error instanceof StoreError) return 503
  const isKnown = error instanceof RequestRefused || error instanceof ServiceError
  return isKnown ? error.statusCode : 500
}

/**
 * The URL of a request at its issuer. The target must be a path: `//host/` would change the host.
 */
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
