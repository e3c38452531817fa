import { EventEmitter } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { createApplication, openSecret } from '../../../src/domain/applications.ts'
import type { DomainContext } from '../../../src/domain/context.ts'
import { createCredential } from '../../../src/domain/credentials.ts'
import { createPasswordEngine, type PasswordEngine } from '../../../src/domain/password-engine.ts'
import { createTenant, defaultSettings, updateTenant } from '../../../src/domain/tenants.ts'
import { createUser, type UserInput, updateUser } from '../../../src/domain/users.ts'
import { createVault } from '../../../src/domain/vault.ts'
import { createIssuer, type IssuerOptions } from '../../../src/issuer/index.ts'
import { createClientIp } from '../../../src/server/client.ts'
import { createMemoryDataStore } from '../../../src/store/memory/data-store.ts'
import { createMemoryProtocolStore } from '../../../src/store/memory/protocol-store.ts'
import type { DataStore } from '../../../src/store/ports.ts'
import type { ProtocolStore } from '../../../src/store/protocol-store.ts'
import type { Application, TenantSettings, User } from '../../../src/store/records.ts'
import { openSqliteDataStore } from '../../../src/store/sqlite/data-store.ts'
import { createSqliteProtocolStore } from '../../../src/store/sqlite/protocol-store.ts'
import { createLoopbackFetch, type Fetch } from './loopback.ts'

/** The stores that every rule is tested on. */
export const storeKinds = ['memory', 'sqlite'] as const

export type StoreKind = (typeof storeKinds)[number]

/** What tests ask of the issuer they start. */
export interface StartOptions
  extends Partial<Omit<IssuerOptions, 'domain' | 'protocol' | 'clientIp'>> {
  trustedProxies?: readonly string[]
  store?: StoreKind
  settings?: Partial<TenantSettings>
  /** Default: `true`. */
  allowDeveloperMode?: boolean
  /** Default: the real one. */
  passwords?: PasswordEngine
  /** Wraps the store of what has a time to live. */
  wrap?: (protocol: ProtocolStore) => ProtocolStore
}

/** Where the test application is said to run; nobody listens there. */
export const applicationUrl = 'http://localhost:3000'

/** Starts the issuer on a loopback port, with one tenant and one application. */
export async function startIssuer(options: StartOptions = {}) {
  const {
    store,
    settings,
    passwords = createPasswordEngine(),
    allowDeveloperMode = true,
    wrap = (protocol) => protocol,
    trustedProxies = [],
    ...issuerOptions
  } = options
  const stores = await openStores(store ?? 'memory')
  const domain: DomainContext = {
    store: stores.data,
    clock: systemClock,
    passwords,
    vault: createVault(new Uint8Array(32).fill(7)),
    domains: { allowLoopback: true, apiHosts: [], verification: 'none' },
    allowDeveloperMode,
    events: new EventEmitter(),
  }
  const problems: object[] = []
  const logger = { warn: () => {}, error: (facts: object) => void problems.push(facts) }
  const issuer = createIssuer({
    domain,
    protocol: wrap(stores.protocol),
    logger,
    clientIp: createClientIp(trustedProxies, logger),
    allowHttpOnLoopback: true,
    ...issuerOptions,
  })
  const server = createServer((request, response) => {
    void issuer.handle(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(421).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const admin = { context: domain, actor: { name: 'admin' } }
  const tenant = await createTenant(admin, {
    name: 'Acme',
    metadata: {},
    settings: {
      ...defaultSettings,
      companyName: 'Acme',
      domain: `acme.localhost:${port}`,
      ...settings,
    },
  })
  /** What tests do besides, they do as the admin of the tenant. */
  const scope = { ...admin, tenantId: tenant.id }
  const application = await addApplication()

  async function addApplication(input: Partial<Application> = {}): Promise<Application> {
    return createApplication(scope, {
      name: 'Shop',
      metadata: {},
      loginUrl: `${applicationUrl}/login`,
      logoutUrls: [`${applicationUrl}/logged-out`],
      redirectUrls: [`${applicationUrl}/callback`],
      ...input,
    })
  }

  async function addUser(input: Partial<UserInput> & { password?: string } = {}): Promise<User> {
    const { password, ...rest } = input
    const user = await createUser(scope, {
      email: 'ada@example.com',
      emailVerified: true,
      disabled: false,
      metadata: {},
      profile: { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' },
      ...rest,
    })
    if (password !== undefined) await setPassword(user, 'plain', password)
    return user
  }

  async function setPassword(user: User, alg: string, hash: string): Promise<void> {
    const input = { disabled: false, metadata: {}, alg, hash }
    await createCredential(scope, user.id, input)
  }

  return {
    url: `http://acme.localhost:${port}`,
    port,
    domain,
    scope,
    protocol: stores.protocol,
    tenant,
    application,
    secretOf: (of: Application) => openSecret(domain, of),
    addApplication,
    addUser,
    setPassword,
    fetch: createLoopbackFetch(),
    /** Changes settings of the tenant. */
    async changeSettings(changes: Partial<TenantSettings>): Promise<void> {
      const current = await domain.store.tenants.get(tenant.id)
      if (!current) throw new Error('The tenant is gone.')
      const input = { ...current, settings: { ...current.settings, ...changes } }
      await updateTenant(scope, input)
    },
    /** Changes what the management API changes of a user. */
    async changeUser(user: User, changes: Partial<UserInput>): Promise<void> {
      const current = await domain.store.users.get(tenant.id, user.id)
      if (!current) throw new Error('The user is gone.')
      const { email, disabled, metadata, profile, verifiedAt } = current
      const emailVerified = verifiedAt !== undefined
      const input = { email, disabled, metadata, profile, emailVerified, verifiedAt, ...changes }
      await updateUser(scope, user.id, input)
    },
    /** Captured mail, the newest first. */
    mails: () => issuer.outbox.list(tenant.id),
    /** The link in the newest message. */
    async lastLink(): Promise<string> {
      const [mail] = await issuer.outbox.list(tenant.id)
      if (!mail?.link) throw new Error('The newest message has no link.')
      return mail.link
    },
    idle: () => issuer.idle(),
    /** Everything that the protocol store holds, as text. */
    dumpProtocol: stores.dump,
    /** The audit log of the tenant, the newest first. */
    audit: () => domain.store.audit.list({ tenantId: tenant.id }),
    actions: async () =>
      (await domain.store.audit.list({ tenantId: tenant.id })).map(({ action }) => action),
    /** What was reported to the operator; empty when all went well. */
    problems,
    async [Symbol.asyncDispose]() {
      await issuer.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await stores.close()
    },
  }
}

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>

export type { Fetch }

interface Stores {
  data: DataStore
  protocol: ProtocolStore
  dump(): Promise<string>
  close(): Promise<void>
}

async function openStores(kind: StoreKind): Promise<Stores> {
  if (kind === 'memory') {
    const data = createMemoryDataStore()
    const protocol = createMemoryProtocolStore({ clock: systemClock })
    // What a memory store keeps is what it was given.
    const given: unknown[] = []
    const recording: ProtocolStore = {
      ...protocol,
      put: (entry) => {
        given.push(entry)
        return protocol.put(entry)
      },
      mail: {
        ...protocol.mail,
        add: (mail) => {
          given.push(mail)
          return protocol.mail.add(mail)
        },
      },
    }
    const dump = async () => JSON.stringify(given)
    return { data, protocol: recording, dump, close: async () => {} }
  }
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-issuer-'))
  const data = await openSqliteDataStore(folder)
  const path = join(folder, 'protocol.db')
  const protocol = createSqliteProtocolStore({ path, clock: systemClock })
  return {
    data,
    protocol,
    dump: async () => (await readFile(path, 'latin1')) + (await readFile(`${path}-wal`, 'latin1')),
    async close() {
      await protocol.close()
      await data.close()
      await rm(folder, { recursive: true })
    },
  }
}
