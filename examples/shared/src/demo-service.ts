import { createHash } from 'node:crypto'
import { createInterface, type Interface } from 'node:readline'
import { createManagementClient, type ManagementClient, type Tenant } from '@latchkey/management'
import {
  type AuthenticatorApp,
  createIdentityService,
  type IdentityService,
  type IdentityServiceOptions,
} from '@latchkey/service'

/** A user to log in as. */
export interface DemoUser {
  readonly name: string
  readonly email: string
  readonly password: string
  /** A note about the user, which `start` prints. */
  readonly note: string
  readonly verified?: boolean
  readonly disabled?: boolean
  /** How the password is handed over. Default `plain`. */
  readonly algorithm?: 'plain' | 'md5'
  /** Whether an authenticator app is asked for. Default `false`. */
  readonly app?: boolean
  /** Whether a passkey can be added. Default `false`. */
  readonly passkey?: boolean
}

/** One of each kind. */
export const people: readonly DemoUser[] = [
  {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    password: 'correct horse battery',
    note: 'verified',
  },
  {
    name: 'Grace Hopper',
    email: 'grace@example.com',
    password: 'nanoseconds of wire',
    note: 'not verified: follow the link in the outbox',
    verified: false,
  },
  {
    name: 'Alan Turing',
    email: 'alan@example.com',
    password: 'old but not forgotten',
    note: 'imported with an md5 hash',
    algorithm: 'md5',
  },
  {
    name: 'Charles Babbage',
    email: 'charles@example.com',
    password: 'difference engine',
    note: 'disabled: refused',
    disabled: true,
  },
]

/** Has a second step. */
export const joan: DemoUser = {
  name: 'Joan Clarke',
  email: 'joan@example.com',
  password: 'banburismus',
  note: 'has an authenticator app: press Enter for its code',
  app: true,
}

/**
 * Can add a passkey. The demo can't create one: its private key never leaves the device or the
 * password manager that made it.
 */
export const radia: DemoUser = {
  name: 'Radia Perlman',
  email: 'radia@example.com',
  password: 'spanning tree',
  note: 'add a passkey at “Account” below, then log in with it',
  passkey: true,
}

/** Has her account at another provider. */
const mary: DemoUser = {
  name: 'Mary Jackson',
  email: 'mary@example.com',
  password: 'wind tunnel',
  note: 'choose “Continue with Partner”, where her account is',
}

/** The credentials with which an application logs in somewhere. */
export interface DemoClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Metadata that the service gives a meaning to, such as the API that an application offers. */
export interface DemoMetadata {
  readonly tenant?: Readonly<Record<string, string>>
  readonly application?: Readonly<Record<string, string>>
}

/** The service, serving on a port of this machine. */
export interface DemoService {
  readonly url: string
  readonly apiKey: string
  /** The management API. */
  readonly management: ManagementClient
  /**
   * Sees to it that there is a tenant at `localhost`, or at `<subdomain>.localhost`, with these users and this application,
   * all through the management API. Of the users that were there before, it says what is true now.
   */
  addTenant(wanted: {
    /** For one of several tenants; not every client resolves names below `localhost`. */
    readonly subdomain?: string
    readonly company: string
    readonly application: string
    readonly baseUrl: string
    readonly users: readonly DemoUser[]
    /** The redirect URL to register. Default `/callback`. */
    readonly redirectUrlOf?: (issuer: string) => string
    /** Added to the metadata of both. */
    readonly metadata?: DemoMetadata
  }): Promise<DemoClient & { readonly tenantId: string; readonly users: readonly DemoUser[] }>
  /**
   * Lets users of a tenant log in at another provider, "Partner": a second tenant, which is
   * connected again at each start. Answers with its users.
   */
  addProvider(tenant: {
    readonly tenantId: string
    readonly issuer: string
  }): Promise<readonly DemoUser[]>
  /** Where the management console is, and whom to log in there as; without the option `console`, nothing. */
  readonly console:
    | { readonly url: string; readonly email: string; readonly password: string }
    | undefined
  /** Prints a code whenever Enter is pressed, once a user has an authenticator app. */
  printCodes(): void
  close(): Promise<void>
}

/**
 * Starts the service.
 *
 * @param options - `console`: whether it serves the management console too. `data`: its folder; without one everything is in memory. `fresh`: forgets the tenants
 *   of the folder first. `shared`: where other processes serve from, at this port; this one only prepares
 *   the data.
 */
export async function startDemoService(options: {
  readonly port: number
  readonly console?: boolean
  readonly data?: string
  readonly fresh?: boolean
  readonly shared?: Pick<IdentityServiceOptions, 'database' | 'redis' | 'masterKey'>
}): Promise<DemoService> {
  const consoleUrl = options.console ? `http://console.localhost:${options.port}` : undefined
  const service = await createIdentityService({
    data: options.data,
    consoleUrl,
    ...options.shared,
    allowHttpOnLoopback: true,
    allowDeveloperMode: true,
    requestsPerSecond: 10_000,
  })
  const { admin } = service
  if (options.fresh) {
    for (const { id } of await admin.listTenants()) await admin.deleteTenant(id)
  }
  const { port } = options.shared ? options : await service.listen({ port: options.port })
  const url = `http://localhost:${port}`
  const apiKey = await newKey(service)
  const management = createManagementClient({ baseUrl: url, apiKey })
  let app: AuthenticatorApp | undefined
  let lines: Interface | undefined

  const demo: DemoService = {
    url,
    apiKey,
    management,
    async addProvider({ tenantId, issuer }) {
      const name = 'Partner'
      const { users, ...partner } = await demo.addTenant({
        subdomain: 'partner',
        company: name,
        application: 'Acme',
        baseUrl: issuer,
        users: [mary],
        redirectUrlOf: (there) => issuer + admin.callbackPathFor({ recipe: 'oidc', issuer: there }),
      })
      for (const { id } of await admin.listConnections(tenantId)) {
        await admin.deleteConnection(tenantId, id)
      }
      const { clientId, clientSecret: secret } = partner
      const connection = { recipe: 'oidc', name, issuer: partner.issuer, clientId, secret }
      await admin.createConnection(tenantId, { ...connection, trustEmail: true })
      await management.tenants.update(tenantId, ({ settings }) => {
        settings.allow_social = true
      })
      return users
    },
    console: consoleUrl === undefined ? undefined : await addOperator(service, consoleUrl),
    async addTenant({
      subdomain,
      company,
      application,
      baseUrl,
      users,
      redirectUrlOf = () => `${baseUrl}/callback`,
      metadata = {},
    }) {
      const domain = `${subdomain ? `${subdomain}.` : ''}localhost:${port}`
      const { id: tenantId } = await tenantAt(service, management, company, domain)
      if (metadata.tenant) {
        await management.tenants.update(tenantId, (changed) => {
          Object.assign(changed.metadata, metadata.tenant)
        })
      }
      const found: DemoUser[] = []
      for (const user of users) {
        const { id, ...now } = await addUser(management, tenantId, user)
        found.push({ ...user, note: now.note })
        if (!user.app && !user.passkey) continue
        await management.tenants.update(tenantId, (changed) => {
          if (user.app) changed.settings.allow_totp_app = true
          if (user.passkey) changed.settings.allow_hardware = true
        })
        if (!user.app) continue
        // A new one at every start: the key of an old one cannot be read again.
        app = await admin.giveAuthenticatorApp(tenantId, id)
      }
      const issuer = `http://${domain}`
      const redirectUrl = redirectUrlOf(issuer)
      const registered = { application, baseUrl, redirectUrl, metadata: metadata.application }
      const { id, secret } = await register(management, tenantId, registered)
      return { tenantId, issuer, clientId: id, clientSecret: secret, users: found }
    },
    printCodes() {
      lines = createInterface({ input: process.stdin }).on('line', () => {
        if (app) console.log(`  ${app.code()}`)
      })
    },
    close() {
      lines?.close()
      return service.close()
    },
  }
  return demo
}

/** Sees to it that there is an operator; one that was there before keeps the password of then. */
async function addOperator({ admin, fetch }: IdentityService, consoleUrl: string) {
  const operator = { email: 'operator@example.com', password: 'keys of the whole house' }
  const found = (await admin.listOperators()).find(({ user }) => user.email === operator.email)
  if (!found || found.operator.invitation) {
    const { token } = await admin.inviteOperator({ email: operator.email, role: 'owner' })
    const body = new URLSearchParams({ token, password: operator.password })
    await fetch(`${consoleUrl}/console/invitation`, { method: 'POST', body, redirect: 'manual' })
  }
  return { url: `${consoleUrl}/console`, ...operator }
}

/** A new key for every start: the secret of an old one cannot be read again. */
async function newKey({ admin }: IdentityService): Promise<string> {
  for (const key of await admin.listApiKeys()) {
    if (key.name === 'demo' && key.revokedAt === undefined) await admin.revokeApiKey(key.id)
  }
  const { secret } = await admin.createApiKey({ name: 'demo', reach: 'all' })
  return secret
}

/** The company's tenant, at the port of today. */
async function tenantAt(
  { admin }: IdentityService,
  { tenants }: ManagementClient,
  company: string,
  domain: string,
): Promise<Pick<Tenant, 'id'>> {
  for await (const tenant of tenants.list()) {
    if (tenant.settings.domain === domain) return tenant
    if (tenant.name !== company) continue
    return tenants.update(tenant.id, (changed) => {
      changed.settings.domain = domain
    })
  }
  // In developer mode the mail is at /x/outbox, for everybody to read: for demonstrations only.
  const settings = { companyName: company, developerMode: true }
  return admin.createTenant({ domain, name: company, settings })
}

async function addUser(
  management: ManagementClient,
  tenantId: string,
  { name, email, password, note, verified = true, disabled = false, algorithm = 'plain' }: DemoUser,
): Promise<{ id: string; note: string }> {
  const users = management.users(tenantId)
  for await (const { id, profile, disabled: isDisabled } of users.list()) {
    if (profile.email !== email) continue
    if (isDisabled !== disabled) return { id, note: isDisabled ? 'disabled: refused' : 'enabled' }
    return { id, note: !verified && profile.email_verified ? 'verified' : note }
  }
  const [given_name = '', family_name = ''] = name.split(' ')
  const profile = { email, email_verified: verified, name, given_name, family_name }
  const { id } = await users.create({ disabled, profile })
  const hash = algorithm === 'md5' ? createHash('md5').update(password).digest('hex') : password
  await management.credentials(tenantId, id).create({ password: { alg: algorithm, hash } })
  return { id, note }
}

/** Stores the three routes of the application, through the API as everybody does it. */
async function register(
  management: ManagementClient,
  tenantId: string,
  {
    application: name,
    baseUrl,
    redirectUrl,
    metadata,
  }: {
    application: string
    baseUrl: string
    redirectUrl: string
    metadata: DemoMetadata['application']
  },
): Promise<{ id: string; secret: string }> {
  const applications = management.applications(tenantId)
  const routes = {
    name,
    login_url: `${baseUrl}/login`,
    logout_urls: [`${baseUrl}/`],
    redirect_urls: [redirectUrl],
    ...(metadata && { metadata: { ...metadata } }),
  }
  for await (const { id, name: known } of applications.list()) {
    if (known === name) return applications.update(id, routes)
  }
  const { id } = await applications.create(routes)
  return applications.get(id)
}
