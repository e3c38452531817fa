import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tenant } from '../store/records.ts'
import type { IssuerContext } from './context.ts'
import { handleFlow } from './flows/index.ts'
import { RequestRefused, sendText } from './http.ts'
import { issuerUrl } from './issuer-url.ts'
import type { Providers } from './providers.ts'
import { setFacts } from './request-facts.ts'

/** Headers by which a proxy speaks for a client. None of them may decide what the issuer says. */
const FORWARDING_HEADER = /^(forwarded|x-forwarded-.*|x-real-ip|x-original-.*)$/

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
      fail(error, response)
    }
    return true
  }

  async function answer(
    tenant: Tenant,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const issuer = issuerUrl(tenant.settings.domain, context)
    setFacts(request, {
      tenant,
      issuer,
      clientIp: request.socket.remoteAddress ?? '',
      requestId: randomUUID(),
    })
    pinIssuer(request, new URL(issuer))

    const provider = await providers.of(tenant)
    const url = new URL(request.url ?? '/', issuer)
    if (/^\/(oidc|\.well-known)\//.test(url.pathname)) {
      await provider.callback()(request, response)
    } else {
      await handleFlow({ context, provider, tenant, url, request, response })
    }
  }

  function fail(error: unknown, response: ServerResponse): void {
    const isRefusal = error instanceof RequestRefused
    if (!isRefusal) context.logger.error({ error }, 'The issuer failed.')
    if (response.headersSent) {
      response.destroy()
    } else if (isRefusal) {
      sendText(response, error.statusCode, error.message)
    } else {
      sendText(response, 500, 'Something went wrong on our side. Please try again.')
    }
  }
}

async function tenantOf(
  context: IssuerContext,
  request: IncomingMessage,
): Promise<Tenant | undefined> {
  const host = request.headers.host?.toLowerCase()
  return host === undefined ? undefined : context.domain.store.tenants.findByDomain(host)
}

function pinIssuer(request: IncomingMessage, issuer: URL): void {
  for (const name of Object.keys(request.headers)) {
    if (FORWARDING_HEADER.test(name)) delete request.headers[name]
  }
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
  request.headers['x-forwarded-host'] = issuer.host
}
