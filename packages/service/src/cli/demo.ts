import type { AuthenticatorApp } from '../domain/authenticator-app.ts'
import type { IdentityService } from '../service.ts'
import type { Tenant } from '../store/records.ts'

/** Where the demo tenant issues, without the port. */
const HOSTNAME = 'acme.localhost'

/** Where the application is expected to run that logs in to the demo tenant. */
export const applicationUrl = 'http://localhost:3000'

const password = 'correct horse battery'

/** Whom one can log in as, with what is worth trying with each. */
export const demoUsers = [
  { email: 'ada@example.com', name: 'Ada Lovelace', isVerified: true, password, note: '' },
  {
    email: 'grace@example.com',
    name: 'Grace Hopper',
    isVerified: false,
    password,
    note: 'has to confirm the address first',
  },
  {
    email: 'alan@example.com',
    name: 'Alan Turing',
    isVerified: false,
    password: undefined,
    note: 'has no password yet: choose “Forgot your password?”',
  },
  {
    email: 'joan@example.com',
    name: 'Joan Clarke',
    isVerified: true,
    password,
    note: 'has an authenticator app: press Enter for its code',
  },
  {
    email: 'radia@example.com',
    name: 'Radia Perlman',
    isVerified: true,
    password,
    note: 'add a passkey at “Account”, then log in with it',
  },
] as const

/** What there is to log in to. */
export interface Demo {
  issuer: string
  /** Reaches every tenant. */
  apiKey: string
  application: { id: string; secret: string }
  /** The authenticator app of Joan. */
  app: AuthenticatorApp
}

/** Creates what the service lacks of the demo tenant, and moves it to the port of today. */
export async function prepareDemo(service: IdentityService, port: number): Promise<Demo> {
  const { admin } = service
  const domain = `${HOSTNAME}:${port}`
  const apiKey = await demoKey(service)
  const call = caller(service, apiKey)
  const moved = (await admin.listTenants()).find(isDemo)
  if (moved && moved.settings.domain !== domain) {
    const tenant = await call(`/v1/tenants/${moved.id}`)
    const settings = { ...tenant.settings, domain }
    await call(`/v1/tenants/${moved.id}`, { ...tenant, settings })
  }
  await admin.seed(seedDocument(domain))
  const { id } = (await admin.findTenant(domain)) as Tenant
  const app = await giveApp(service, call, id)
  const { data } = await call(`/v1/tenants/${id}/applications`)
  return { issuer: `http://${domain}`, apiKey, application: data[0], app }
}

type Listed = { profile: { email: string } }

/** Gives Joan a new authenticator app at every start: the key of the old one cannot be read again. */
async function giveApp(
  { admin }: IdentityService,
  call: Call,
  tenantId: string,
): Promise<AuthenticatorApp> {
  const path = `/v1/tenants/${tenantId}`
  const tenant = await call(path)
  const settings = { ...tenant.settings, allow_totp_app: true, allow_hardware: true }
  await call(path, { ...tenant, settings })
  // A folder that is kept may have any number of users in front of her.
  for (let after = ''; ; ) {
    const { data } = await call(`${path}/users?limit=100${after}`)
    const joan = data.find(({ profile }: Listed) => profile.email === 'joan@example.com')
    if (joan) return admin.giveAuthenticatorApp(tenantId, joan.id)
    if (data.length === 0) throw new Error('The demo tenant has no user joan@example.com.')
    after = `&after=${data.at(-1).id}`
  }
}

function isDemo({ settings }: Tenant): boolean {
  return settings.developerMode && settings.domain.split(':')[0] === HOSTNAME
}

function seedDocument(domain: string): object {
  const users = demoUsers.map(({ email, name, isVerified, password: plain }) => ({
    profile: { email, name, given_name: name.split(' ')[0], email_verified: isVerified },
    ...(plain && { password: { alg: 'plain', hash: plain } }),
  }))
  const application = {
    name: 'Demo application',
    login_url: `${applicationUrl}/login`,
    logout_urls: [`${applicationUrl}/`, applicationUrl],
    redirect_urls: [`${applicationUrl}/callback`],
  }
  const settings = { domain, company_name: 'Acme', developer_mode: true }
  return { tenants: [{ name: 'Demo', settings, applications: [application], users }] }
}

/** A new key for every start: the secret of an old one cannot be read again. */
async function demoKey({ admin }: IdentityService): Promise<string> {
  for (const key of await admin.listApiKeys()) {
    if (key.name === 'demo' && key.revokedAt === undefined) await admin.revokeApiKey(key.id)
  }
  return (await admin.createApiKey({ name: 'demo', reach: 'all' })).secret
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answers has the shape that it documents
type Call = (path: string, body?: object) => Promise<any>

/** Calls the management API: GET, or POST when there is a body. */
function caller(service: IdentityService, apiKey: string): Call {
  return async (path, body) => {
    const answer = await service.fetch(`http://localhost${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(answer.headers.get('latchkey-error-detail') ?? 'Refused.')
    return answer.json()
  }
}
