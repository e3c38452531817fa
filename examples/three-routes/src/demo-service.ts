import { createIdentityService, type IdentityService, type Tenant } from '@latchkey/service'

/** A service with one tenant, one user and this application. */
export interface DemoService {
  issuer: string
  apiUrl: string
  apiKey: string
  clientId: string
  clientSecret: string
  user: { email: string; password: string }
  close(): Promise<void>
}

const user = { email: 'ada@example.com', password: 'correct horse battery' }

// biome-ignore lint/suspicious/noExplicitAny: what an API answers has the shape that it documents
type Call = (path: string, body?: object) => Promise<any>

/** Starts the service on its data folder; what it lacks for the demo is created. */
export async function startDemoService(options: {
  data: string
  port: number
  baseUrl: string
}): Promise<DemoService> {
  const service = await createIdentityService({ data: options.data, allowHttpOnLoopback: true })
  const { port } = await service.listen({ port: options.port })
  const apiUrl = `http://localhost:${port}`
  const apiKey = await demoKey(service)
  const call = caller(apiUrl, apiKey)
  const tenant = await demoTenant(service, call, `acme.localhost:${port}`)
  const client = await registerApplication(call, tenant.id, options.baseUrl)
  return {
    issuer: `http://${tenant.settings.domain}`,
    apiUrl,
    apiKey,
    clientId: client.id,
    clientSecret: client.secret,
    user,
    close: () => service.close(),
  }
}

/** A new key for every start: the secret of an old one cannot be read again. */
async function demoKey({ admin }: IdentityService): Promise<string> {
  for (const key of await admin.listApiKeys()) {
    if (key.name === 'demo' && key.revokedAt === undefined) await admin.revokeApiKey(key.id)
  }
  const { secret } = await admin.createApiKey({ name: 'demo', reach: 'all' })
  return secret
}

/** Calls the management API: GET, or POST when there is a body. */
function caller(apiUrl: string, apiKey: string): Call {
  return async (path, body) => {
    const response = await fetch(apiUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(response.headers.get('latchkey-error-detail') ?? 'Refused.')
    return response.json()
  }
}

/** The tenant of the data folder, moved to the port of today, with its user. */
async function demoTenant({ admin }: IdentityService, call: Call, domain: string): Promise<Tenant> {
  const [existing] = (await call('/v1/tenants')).data
  if (existing && existing.settings.domain !== domain) {
    const settings = { ...existing.settings, domain }
    await call(`/v1/tenants/${existing.id}`, { ...existing, settings })
  }
  await admin.seed({
    tenants: [
      {
        name: 'Demo',
        settings: { domain, company_name: 'Acme' },
        users: [
          {
            profile: {
              email: user.email,
              email_verified: true,
              name: 'Ada Lovelace',
              given_name: 'Ada',
              family_name: 'Lovelace',
            },
            password: { alg: 'plain', hash: user.password },
          },
        ],
      },
    ],
  })
  return (await admin.findTenant(domain)) as Tenant
}

/** Stores the three routes of the application, through the API as everybody does it. */
async function registerApplication(
  call: Call,
  tenantId: string,
  baseUrl: string,
): Promise<{ id: string; secret: string }> {
  const collection = `/v1/tenants/${tenantId}/applications`
  const application = {
    type: 'Application',
    name: 'Three routes',
    login_url: `${baseUrl}/login`,
    logout_urls: [`${baseUrl}/`],
    redirect_urls: [`${baseUrl}/callback`],
  }
  const { data } = await call(collection)
  const existing = data.find(({ name }: { name: string }) => name === application.name)
  const { id } = existing ?? (await call(collection, application))
  return call(`${collection}/${id}`, application)
}
