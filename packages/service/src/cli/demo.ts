import type { AuthenticatorApp } from '../domain/factors/authenticator-app.ts'
import type { IdentityService } from '../service.ts'
import type { Tenant } from '../store/records.ts'

/** The host of the demo tenant: one that every client resolves, unlike names below `localhost`. */
const HOSTNAME = 'localhost'

/** The host that earlier versions gave it. */
const EARLIER_HOSTNAME = 'acme.localhost'

const APPLICATION = 'Demo application'

const password = 'correct horse battery'

interface SeededUser extends DemoUser {
  name: string
  isVerified: boolean
}

/** The users to log in as, with a hint for each. */
const demoUsers: readonly SeededUser[] = [
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
]

/** A user to log in as, with a hint that is true today. */
export interface DemoUser {
  email: string
  /** `undefined` for a user who has none yet. */
  password: string | undefined
  note: string
}

/** The tenant, application and users of the demo. */
export interface Demo {
  issuer: string
  users: DemoUser[]
  /** Reaches every tenant. */
  apiKey: string
  application: { id: string; secret: string }
  /** The authenticator app of Joan. */
  app: AuthenticatorApp
}

/**
 * Creates the missing parts of the demo tenant, and changes its domain to the current port.
 *
 * @param applicationUrl - The URL of the application that logs in to it.
 */
export async function prepareDemo(
  service: IdentityService,
  port: number,
  applicationUrl: string,
): Promise<Demo> {
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
  await admin.seed(seedDocument(domain, applicationUrl))
  const { id } = (await admin.findTenant(domain)) as Tenant
  const path = `/v1/tenants/${id}`
  const tenant = await call(path)
  const settings = { ...tenant.settings, allow_totp_app: true, allow_hardware: true }
  await call(path, { ...tenant, settings })
  const found = await findUsers(call, path)
  // A new app at every start: the key of the old one cannot be read again.
  const app = await admin.giveAuthenticatorApp(id, found.get('joan@example.com')?.id ?? '')
  const application = await applicationAt(call, path, applicationUrl)
  const users = demoUsers.map((user) => ({ ...user, note: noteOf(user, found.get(user.email)) }))
  return { issuer: `http://${domain}`, users, apiKey, application, app }
}

/** A demo user as the folder has them, which was perhaps used before. */
interface FoundUser {
  id: string
  profile: { email: string; email_verified?: boolean }
  hasPassword: boolean
}

/** The demo users by address. In a reused folder, there may be any number of users before them. */
async function findUsers(call: Call, path: string): Promise<Map<string, FoundUser>> {
  const emails: ReadonlySet<string> = new Set(demoUsers.map(({ email }) => email))
  const found = new Map<string, FoundUser>()
  for (let after = ''; found.size < emails.size; ) {
    const { data } = await call(`${path}/users?limit=100${after}`)
    if (data.length === 0) return found
    for (const user of data) {
      const { email } = user.profile
      if (!emails.has(email)) continue
      const credentials = await call(`${path}/users/${user.id}/credentials`)
      const hasPassword = credentials.data.some((one: { type: string }) => one.type === 'password')
      found.set(email, { ...user, hasPassword })
    }
    after = `&after=${data.at(-1).id}`
  }
  return found
}

/** The note about a user; `undefined` if it is no longer true. */
function noteOf({ isVerified, password: given, note }: SeededUser, user?: FoundUser): string {
  if (!user) return 'is gone'
  if (!isVerified && given && user.profile.email_verified) return ''
  if (!given && user.hasPassword) return 'has the password that you chose'
  return note
}

/** The application, with the routes of the address that it has today. */
async function applicationAt(
  call: Call,
  path: string,
  applicationUrl: string,
): Promise<Demo['application']> {
  const { data } = await call(`${path}/applications`)
  const application = data.find(({ name }: { name: string }) => name === APPLICATION)
  if (application.login_url === routesAt(applicationUrl).login_url) return application
  const { name, metadata } = application
  return call(`${path}/applications/${application.id}`, {
    ...{ name, metadata },
    ...routesAt(applicationUrl),
  })
}

function routesAt(applicationUrl: string) {
  return {
    login_url: `${applicationUrl}/login`,
    logout_urls: [`${applicationUrl}/`, applicationUrl],
    redirect_urls: [`${applicationUrl}/callback`],
  }
}

function isDemo({ settings }: Tenant): boolean {
  const [hostname = ''] = settings.domain.split(':')
  return settings.developerMode && [HOSTNAME, EARLIER_HOSTNAME].includes(hostname)
}

function seedDocument(domain: string, applicationUrl: string): object {
  const users = demoUsers.map(({ email, name, isVerified, password: plain }) => ({
    profile: { email, name, given_name: name.split(' ')[0], email_verified: isVerified },
    ...(plain && { password: { alg: 'plain', hash: plain } }),
  }))
  const application = { name: APPLICATION, ...routesAt(applicationUrl) }
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
