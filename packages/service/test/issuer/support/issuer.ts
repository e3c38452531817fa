import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { atFileEnd } from '../../../../../test/support/file-end.ts'
import { createBackground } from '../../../src/background/index.ts'
import { systemClock } from '../../../src/clock.ts'
import { createApplication, openSecret } from '../../../src/domain/applications/applications.ts'
import { createTenant, defaultSettings, updateTenant } from '../../../src/domain/tenants/tenants.ts'
import { createCredential } from '../../../src/domain/users/credentials.ts'
import {
  type LeakedPasswords,
  noLeakedPasswords,
} from '../../../src/domain/users/leaked-passwords.ts'
import type { PasswordEngine } from '../../../src/domain/users/password-engine.ts'
import { createUser, type UserInput, updateUser } from '../../../src/domain/users/users.ts'
import type { DomainContext } from '../../../src/domain/writes/context.ts'
import { createVault } from '../../../src/domain/writes/vault.ts'
import { createIssuer, type IssuerOptions } from '../../../src/issuer/index.ts'
import type { DataStore } from '../../../src/store/ports.ts'
import type { ProtocolStore } from '../../../src/store/protocol-store.ts'
import type {
  Application,
  Metadata,
  Tenant,
  TenantSettings,
  User,
} from '../../../src/store/records.ts'
import { createClientIp } from '../../../src/wire/client.ts'
import { startBalancer } from '../../support/balancer.ts'
import {
  type Cluster,
  clusterKey,
  endSharedClusters,
  HEARD_MS,
  PROCESSES,
  sharedCluster,
  withoutProcesses,
} from '../../support/cluster.ts'
import { quickPasswords } from '../../support/quick-passwords.ts'
import { createLoopbackFetch, type Fetch } from './loopback.ts'
import { addSigningKey } from './signing-key.ts'
import {
  endSharedStores,
  openClusterStores,
  openMemoryStores,
  openSharedStores,
  openSqliteStores,
  type Stores,
} from './stores.ts'

/**
 * Where an issuer keeps what it knows; `shared`: in PostgreSQL and Redis; `cluster`: there, and four
 * processes answer in turn.
 */
export type StoreKind = 'memory' | 'sqlite' | 'shared' | 'cluster'

/** The stores that every rule is tested on. `pnpm test:cluster` tries all of them on a cluster instead. */
export const storeKinds: readonly StoreKind[] = process.env.LATCHKEY_TEST_CLUSTER
  ? ['cluster']
  : ['sqlite']

/** The stores for rules whose point is what happens at once: those that several processes can use, too. */
export const allStoreKinds: readonly StoreKind[] = process.env.LATCHKEY_TEST_CLUSTER
  ? storeKinds
  : [...storeKinds, 'shared']

atFileEnd(endSharedClusters)
atFileEnd(endSharedStores)

let isHere = false
atFileEnd(() => {
  isHere = false
})

/** For files that move the clock or trust a certificate, which other processes do not see: their cluster is issuers in this one. */
export function movesTheClock(): void {
  isHere = true
}

/** What tests ask of the issuer they start. */
export interface StartOptions
  extends Partial<Omit<IssuerOptions, 'domain' | 'protocol' | 'clientIp' | 'background'>> {
  trustedProxies?: readonly string[]
  store?: StoreKind
  settings?: Partial<TenantSettings>
  /** Default: `true`. */
  allowDeveloperMode?: boolean
  /** Default: the real one. */
  passwords?: PasswordEngine
  /** Default: no password is known to have leaked. */
  leaks?: LeakedPasswords
  /** Wraps the store of what has a time to live. */
  wrap?: (protocol: ProtocolStore) => ProtocolStore
  /** Wraps the store of all else, as the issuer sees it. */
  wrapData?: (data: DataStore) => DataStore
}

/** Where the test application is said to run; nobody listens there. */
export const applicationUrl = 'http://localhost:3000'

/** Starts the issuer on a loopback port, with one tenant and one application. */
export async function startIssuer(options: StartOptions = {}) {
  const {
    store = storeKinds.includes('cluster') ? 'cluster' : 'memory',
    settings,
    ...inside
  } = options
  const isPlain = !isHere && Object.values(inside).every((value) => value === undefined)
  const cluster =
    store === 'cluster' ? await sharedCluster(isPlain ? {} : withoutProcesses) : undefined
  if (cluster) await enter(cluster)
  const stores = await (cluster ? openClusterStores(cluster) : openStores(store))
  const problems: object[] = []
  const { domain, issuer, server } = openIssuer(stores, inside, problems)
  await listen()
  const others = cluster && (await startOthers(cluster, inside, problems))
  const portNow = () => others?.port ?? (server.address() as AddressInfo).port

  const admin = { context: domain, actor: { name: 'admin' } }
  const tenant = await addTenant()
  const port = portNow()

  async function listen(): Promise<void> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }

  /** Adds the tenant. If one of an earlier test had a port of the same number, takes another port. */
  async function addTenant(): Promise<Tenant> {
    const domain = `acme.localhost:${portNow()}`
    const all = { ...defaultSettings, companyName: 'Acme', domain, ...settings }
    try {
      return await createTenant(admin, { name: 'Acme', metadata: {}, settings: all })
    } catch (error) {
      if (others || settings?.domain || Object(error).code !== 'already_exists') throw error
      await new Promise((resolve) => server.close(resolve))
      await listen()
      return addTenant()
    }
  }
  // Another tenant of an earlier test may have had it.
  if (cluster && settings?.domain) await wait(HEARD_MS)
  /** What tests do besides, they do as the admin of the tenant. */
  const scope = { ...admin, tenantId: tenant.id }
  await addSigningKey(scope)
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
    support: issuer.support,
    secretOf: (of: Application) => openSecret(domain, of),
    addApplication,
    addUser,
    setPassword,
    fetch: createLoopbackFetch(),
    /** The tenant as it is now. */
    tenantNow: () => domain.store.tenants.get(tenant.id),
    /** Changes settings of the tenant, and its metadata. */
    async changeSettings(changes: Partial<TenantSettings>, metadata?: Metadata): Promise<void> {
      const current = await domain.store.tenants.get(tenant.id)
      if (!current) throw new Error('The tenant is gone.')
      const settings = { ...current.settings, ...changes }
      await updateTenant(scope, { ...current, settings, metadata: metadata ?? current.metadata })
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
    async idle() {
      await issuer.idle()
      while (await others?.isBusy(tenant.id)) await issuer.idle()
    },
    /** Everything that the protocol store holds, as text. */
    dumpProtocol: stores.dump,
    /** The audit log of the tenant, the newest first. */
    audit: () => domain.store.audit.list({ tenantId: tenant.id }),
    actions: async () =>
      (await domain.store.audit.list({ tenantId: tenant.id })).map(({ action }) => action),
    /** What was reported to the operator; empty when all went well. */
    problems,
    async [Symbol.asyncDispose]() {
      if (cluster) leave(cluster)
      await others?.[Symbol.asyncDispose]()
      await issuer.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await stores.close()
    },
  }
}

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>

export type { Fetch }

/** What tests set of the inside of an issuer. */
type Inside = Omit<StartOptions, 'store' | 'settings'>

/** An issuer of this process, and a server that does not listen yet. */
function openIssuer(stores: Stores, options: Inside, problems: object[]) {
  const {
    passwords = quickPasswords,
    leaks = noLeakedPasswords,
    allowDeveloperMode = true,
    wrap = (protocol) => protocol,
    wrapData = (data) => data,
    trustedProxies = [],
    ...issuerOptions
  } = options
  const domain: DomainContext = {
    store: wrapData(stores.data),
    clock: systemClock,
    passwords,
    leaks,
    vault: createVault(clusterKey),
    domains: { allowLoopback: true, apiHosts: [], verification: 'none' },
    allowDeveloperMode,
    events: new EventEmitter(),
  }
  const logger = {
    debug: () => {},
    warn: () => {},
    error: (facts: object) => void problems.push(facts),
  }
  const background = createBackground(logger)
  const opened = createIssuer({
    domain,
    protocol: wrap(stores.protocol),
    background,
    logger,
    clientIp: createClientIp(trustedProxies, logger),
    allowHttpOnLoopback: true,
    ...issuerOptions,
  })
  const issuer = {
    ...opened,
    async close() {
      await background.close()
      await opened.close()
    },
  }
  // As the service's own: a client that reuses a connection must not meet its end.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    issuer.handle(request, response).then(
      (isAnswered) => isAnswered || response.writeHead(421).end(),
      (error) => response.destroy(error),
    )
  })
  return { domain, issuer, server }
}

/** How many issuers on a cluster are not disposed. */
const openIssuers = new WeakMap<Cluster, number>()

/** The first issuer on a cluster forgets what earlier tests have left. */
async function enter(cluster: Cluster): Promise<void> {
  const open = openIssuers.get(cluster) ?? 0
  openIssuers.set(cluster, open + 1)
  const { redis, database } = cluster
  if (open === 0) await Promise.all([redis.inspect((one) => one.flushall()), database.empty()])
}

function leave(cluster: Cluster): void {
  openIssuers.set(cluster, (openIssuers.get(cluster) ?? 0) - 1)
}

let clients = 0

/**
 * The processes that answer requests to an issuer on a cluster. Options that cannot be told to another
 * process are those of four issuers in this one, which share nothing but the stores either.
 */
async function startOthers(cluster: Cluster, inside: Inside, problems: object[]) {
  await using all = new AsyncDisposableStack()
  const isPlain = cluster.processes.length > 0
  // Each issuer has a client of its own, so that tests do not use up what others may try.
  const balancer = isPlain
    ? await cluster.balance(`10.0.${Math.floor(++clients / 250)}.${(clients % 250) + 1}`)
    : await startBalancer(await openHere())
  all.use(balancer)
  const owned = all.move()

  async function openHere(): Promise<() => readonly number[]> {
    const ports: number[] = []
    for (let n = 0; n < PROCESSES; n++) {
      const stores = openClusterStores(cluster)
      const { issuer, server } = openIssuer(stores, inside, problems)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      ports.push((server.address() as AddressInfo).port)
      all.defer(async () => {
        await issuer.close()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
        await stores.close()
      })
    }
    return () => ports
  }

  return {
    port: balancer.port,
    /** Whether another process may be about to send a message for the first time. */
    async isBusy(tenantId: string): Promise<boolean> {
      const waiting = (table: string) =>
        cluster.database.query(`select id from ${table}
          where tenant_id = '${tenantId}' and attempts = 0 and due_at < ${NEVER}`)
      const found = await Promise.all([waiting('mail'), waiting('notices')])
      return found.some((rows) => rows.length > 0)
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** When a captured message is due. */
const NEVER = Number.MAX_SAFE_INTEGER

function openStores(kind: StoreKind | undefined): Stores | Promise<Stores> {
  if (kind === 'shared') return openSharedStores()
  return kind === 'sqlite' ? openSqliteStores() : openMemoryStores()
}
