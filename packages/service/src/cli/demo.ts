import type { AuthenticatorApp } from '../domain/factors/authenticator-app.ts'
import type { IdentityService } from '../service.ts'
import type { Tenant } from '../store/records.ts'

/**
 * The host of the demo tenant. Every client resolves `localhost`, but not names such as
 * `acme.localhost`.
 */
const HOSTNAME = 'localhost'

/** The host of the demo tenant in earlier versions. */
const EARLIER_HOSTNAME = 'acme.localhost'

const APPLICATION = 'Demo application'

const password = 'correct horse battery'

interface SeededUser extends DemoUser {
  name: string
  isVerified: boolean
}

/** The demo users, with a hint for each. */
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

/** A demo user to log in as. */
export interface DemoUser {
  email: string
  /** The initial password; `undefined` for a user who was created without a password. */
  password: string | undefined
  /** A hint about the current state of the user; may be empty. */
  note: string
}

/** The tenant, application and users of the demo. */
export interface Demo {
  issuer: string
  users: DemoUser[]
  /** The secret of an API key for all tenants. */
  apiKey: string
  application: { id: string; secret: string }
  /** The authenticator app of the user `joan@example.com`. */
  authenticator: AuthenticatorApp
}

/**
 * Creates the missing parts of the demo tenant, and changes its domain to the current port. Allows
 * authenticator apps and security keys, even if the folder was used before with other settings.
 *
 * @param port - The port of the service, which is part of the tenant's domain.
 * @param applicationUrl - The URL of the application whose users log in at the tenant.
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
  const earlier = (await admin.listTenants()).find(isDemo)
  if (earlier && earlier.settings.domain !== domain) {
    await changeSettings(call, `/v1/tenants/${earlier.id}`, { domain })
  }
  await admin.seed(seedDocument(domain, applicationUrl))
  const { id } = (await admin.findTenant(domain)) as Tenant
  const path = `/v1/tenants/${id}`
  await changeSettings(call, path, { allow_totp_app: true, allow_hardware: true })
  const found = await findUsers(call, path)
  // Every start makes a new authenticator app: the key of the earlier app cannot be read again.
  const joan = found.get('joan@example.com')?.id ?? ''
  const authenticator = await admin.giveAuthenticatorApp(id, joan)
  const application = await applicationAt(call, path, applicationUrl)
  const users = demoUsers.map((user) => ({ ...user, note: noteOf(user, found.get(user.email)) }))
  return { issuer: `http://${domain}`, users, apiKey, application, authenticator }
}

async function changeSettings(call: Call, path: string, changes: object): Promise<void> {
  const tenant = await call(path)
  await call(path, { ...tenant, settings: { ...tenant.settings, ...changes } })
}

/** A demo user as stored in the folder, which may have been used before. */
interface FoundUser {
  id: string
  profile: { email: string; email_verified?: boolean }
  hasPassword: boolean
}

/**
 * The demo users that exist, by email address. A reused folder may have any number of other users,
 * so pages are read until all demo users are found.
 */
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

/** The hint about a user, adapted to the user's current state. */
function noteOf({ isVerified, password: given, note }: SeededUser, user?: FoundUser): string {
  if (!user) return 'is gone'
  if (!isVerified && given && user.profile.email_verified) return ''
  if (!given && user.hasPassword) return 'has the password that you chose'
  return note
}

/** Changes the URLs of the demo application to `applicationUrl`, and returns the application. */
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

/**
 * Revokes the demo's earlier API keys, whose secrets cannot be read again, and creates a new key.
 * Resolves to its secret.
 */
async function demoKey({ admin }: IdentityService): Promise<string> {
  for (const key of await admin.listApiKeys()) {
    if (key.name === 'demo' && key.revokedAt === undefined) await admin.revokeApiKey(key.id)
  }
  return (await admin.createApiKey({ name: 'demo', reach: 'all' })).secret
}

// biome-ignore lint/suspicious/noExplicitAny: what the API answers has the shape that it documents
type Call = (path: string, body?: object) => Promise<any>

/** Makes a function that calls the management API: with GET, or with POST if there is a body. */
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
