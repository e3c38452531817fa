import { createManagementClient, type Fetch, type ManagementClient } from '@latchkey/management'
import { createIdentityService } from '@latchkey/service'
import { startSpecServer } from './spec-server.ts'

/** A server to manage, and a client of it. */
export interface Managed extends AsyncDisposable {
  client: ManagementClient
  tenantId: string
  baseUrl: string
  apiKey: string
  /** Another client of the same server. */
  connect(options: {
    fetch?: Fetch
    apiKey?: string
    retries?: number
    timeoutSeconds?: number
    /** Paths that begin so are unknown to this client's server. */
    hide?: string
  }): ManagementClient
}

export const servers = ['in process', 'over a socket', 'by the specification alone'] as const

/** Starts the service, reached as `kind` says, or the server that knows the specification only. */
export async function startManaged(kind: (typeof servers)[number]): Promise<Managed> {
  if (kind === 'by the specification alone') {
    const server = await startSpecServer()
    const { url, apiKey, tenantId } = server
    return managed(url, apiKey, tenantId, undefined, async () => server[Symbol.asyncDispose]())
  }
  const service = await createIdentityService({ requestsPerSecond: 1_000_000 })
  const tenant = await service.admin.createTenant({ domain: 'login.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  if (kind === 'in process') {
    const fetch: Fetch = (url, init) => service.fetch(url, init)
    return managed('https://api.example', secret, tenant.id, fetch, service.close)
  }
  const { port } = await service.listen()
  return managed(`http://127.0.0.1:${port}`, secret, tenant.id, undefined, service.close)
}

function managed(
  baseUrl: string,
  apiKey: string,
  tenantId: string,
  fetch: Fetch | undefined,
  close: () => Promise<void>,
): Managed {
  const network: Fetch = (url, init) => globalThis.fetch(url, init)
  const connect: Managed['connect'] = ({ hide, ...options }) => {
    const send = options.fetch ?? fetch ?? network
    const hiding: Fetch = async (url, init) =>
      hide !== undefined && new URL(url).pathname.startsWith(hide)
        ? new Response('<h1>Not here</h1>', { status: 404 })
        : send(url, init)
    return createManagementClient({
      baseUrl,
      apiKey,
      backoffSeconds: 0.001,
      ...options,
      fetch: hiding,
    })
  }
  return { client: connect({}), tenantId, baseUrl, apiKey, connect, [Symbol.asyncDispose]: close }
}
