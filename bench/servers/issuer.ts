import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '@node-rs/bcrypt'
import { createBackground } from '../../packages/service/src/background/index.ts'
import { systemClock } from '../../packages/service/src/clock.ts'
import {
  createApplication,
  openSecret,
} from '../../packages/service/src/domain/applications/applications.ts'
import {
  type PrivateJwk,
  signingKeys,
} from '../../packages/service/src/domain/keys/signing-keys.ts'
import {
  createTenant,
  defaultSettings,
  updateTenant,
} from '../../packages/service/src/domain/tenants/tenants.ts'
import { createCredential } from '../../packages/service/src/domain/users/credentials.ts'
import { noLeakedPasswords } from '../../packages/service/src/domain/users/leaked-passwords.ts'
import { createPasswordEngine } from '../../packages/service/src/domain/users/password-engine.ts'
import { createUser } from '../../packages/service/src/domain/users/users.ts'
import { commit } from '../../packages/service/src/domain/writes/commit.ts'
import type { DomainContext } from '../../packages/service/src/domain/writes/context.ts'
import { createVault } from '../../packages/service/src/domain/writes/vault.ts'
import { createIssuer } from '../../packages/service/src/issuer/index.ts'
import type { DataStore } from '../../packages/service/src/store/ports.ts'
import { createConnections } from '../../packages/service/src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../packages/service/src/store/postgres/data-store.ts'
import { migratePostgres } from '../../packages/service/src/store/postgres/migrate.ts'
import { createPostgresQueues } from '../../packages/service/src/store/postgres/queue.ts'
import type { ProtocolStore } from '../../packages/service/src/store/protocol-store.ts'
import { createRedisProtocolStore } from '../../packages/service/src/store/redis/protocol-store.ts'
import { openSqliteDataStore } from '../../packages/service/src/store/sqlite/data-store.ts'
import { IN_MEMORY } from '../../packages/service/src/store/sqlite/database.ts'
import { createSqliteProtocolStore } from '../../packages/service/src/store/sqlite/protocol-store.ts'
import { createClientIp } from '../../packages/service/src/wire/client.ts'
import { serveCommands } from '../parts/child.ts'
import type { BenchClient } from '../parts/login.ts'

/**
 * The issuer with one user: `issuer.ts memory|sqlite|shared stubbed|real TENANTS [keys [DATABASE REDIS [users]]]`. With
 * `users`, each tenant has a user, and a copy of the first one's signing key, as making one takes long.
 */

const [, , storage, hashing, tenantCount = '1', keys, database = '', redis = '', users] =
  process.argv
const hasKeys = keys === 'keys'
const clock = systemClock
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const { store, protocol } = await openStores()
countReads()
const engine = createPasswordEngine()
const domain: DomainContext = {
  store,
  clock,
  passwords: hashing === 'stubbed' ? { ...engine, verify: async () => true } : engine,
  leaks: noLeakedPasswords,
  vault: createVault(new Uint8Array(32)),
  domains: { allowLoopback: true, apiHosts: [], verification: 'none' },
  allowDeveloperMode: false,
  events: new EventEmitter(),
}
// All logins here are of one user, from one client.
const unlimited = { free: 1e9, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }
const background = createBackground(console)
const issuer = createIssuer({
  domain,
  protocol,
  background,
  logger: console,
  clientIp: createClientIp([], console),
  limits: { loginPerAddress: unlimited, loginPerClient: unlimited, loginAnywhere: unlimited },
  requestLimits: { protocolPerSecond: 1e9, loginsPerMinute: 1e9, unfinishedLogins: 1e6 },
  allowHttpOnLoopback: true,
})
let requests = 0
let reads = 0
const server = createServer((request, response) => {
  requests++
  void issuer.handle(request, response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo

const BCRYPT = { alg: 'bcrypt', hash: engine.dummyHash }
let firstKey: PrivateJwk | undefined
const admin = { context: domain, actor: { name: 'admin' } }
const clients: BenchClient[] = []
/** Registers an application on FAPI 2.0 with the first tenant. */
let addFapi: ((jwk: object) => Promise<BenchClient>) | undefined
/** Opens an API of the first tenant to unregistered clients; returns an application that may call it. */
let openToAgents: ((identifier: string) => Promise<BenchClient>) | undefined
for (let n = 0; n < Number(tenantCount); n++) {
  const host = `t${n}.localhost:${port}`
  const settings = { ...defaultSettings, domain: host, allowHardware: hasKeys }
  const tenant = await createTenant(admin, { name: '', metadata: {}, settings })
  const scope = { ...admin, tenantId: tenant.id }
  const shop = {
    name: 'Shop',
    metadata: {},
    loginUrl: '',
    logoutUrls: [],
    redirectUrls: ['http://localhost:3000/callback'],
  }
  const application = await createApplication(scope, shop)
  clients.push({ host, id: application.id, secret: openSecret(domain, application) })
  if (n === 0) {
    addFapi = async (jwk) => {
      const metadata = { latchkey_profile: 'fapi2', latchkey_jwks: JSON.stringify({ keys: [jwk] }) }
      const { id } = await createApplication(scope, { ...shop, metadata })
      return { host, id, secret: '' }
    }
    openToAgents = async (identifier) => {
      const open = { latchkey_client_documents: 'any' }
      await updateTenant(scope, { name: '', metadata: open, settings })
      const api = {
        latchkey_api: identifier,
        latchkey_api_scopes: JSON.stringify({ 'notes:read': 'Read your notes' }),
        latchkey_api_clients: 'documents',
      }
      await createApplication(scope, { ...shop, name: 'Notes', metadata: api })
      const metadata = { latchkey_resources: identifier }
      const caller = await createApplication(scope, { ...shop, name: 'Caller', metadata })
      return { host, id: caller.id, secret: openSecret(domain, caller) }
    }
  }
  if (n > 0 && users !== 'users') continue
  const user = await createUser(scope, {
    email: 'ada@example.com',
    emailVerified: true,
    disabled: false,
    metadata: {},
    profile: { name: 'Ada Lovelace' },
  })
  // Where a tenant has a user of its own, passwords are not judged.
  const hash = n === 0 ? { alg: 'plain', hash: 'correct horse' } : BCRYPT
  await createCredential(scope, user.id, { disabled: false, metadata: {}, ...hash })
  if (users === 'users') await copyKey(tenant.id)
}

/** Gives a tenant the signing key of the first one. */
async function copyKey(tenantId: string): Promise<void> {
  firstKey ??= (await signingKeys(domain, tenantId))[0]
  if (!firstKey || (await store.signingKeys.list(tenantId)).length > 0) return
  const { kid, alg: _, use: __, ...jwk } = firstKey
  const sealedJwk = domain.vault.seal(`signing-key:${tenantId}:${kid}`, JSON.stringify(jwk))
  const key = { id: kid, tenantId, createdAt: 1, sealedJwk }
  await commit({ ...admin, tenantId }, 'signing_key.create', kid, (audit) =>
    store.signingKeys.insert(key, audit),
  )
}

async function openStores(): Promise<{ store: DataStore; protocol: ProtocolStore }> {
  if (storage === 'sqlite') {
    const path = join(folder, 'protocol.db')
    return {
      store: await openSqliteDataStore(folder),
      protocol: createSqliteProtocolStore({ path, clock }),
    }
  }
  if (storage === 'shared') {
    await migratePostgres({ url: database })
    const connections = createConnections({ url: database })
    const queues = createPostgresQueues(connections)
    return {
      store: createPostgresDataStore(connections),
      protocol: createRedisProtocolStore({ url: redis, clock, queues }),
    }
  }
  return {
    store: await openSqliteDataStore(IN_MEMORY),
    protocol: createSqliteProtocolStore({ path: IN_MEMORY, clock }),
  }
}

/** Counts how often the directory of tenants and applications asks the store. */
function countReads(): void {
  const { findByDomain } = store.tenants
  const { get } = store.applications
  store.tenants.findByDomain = (...asked) => {
    reads++
    return findByDomain(...asked)
  }
  store.applications.get = (...asked) => {
    reads++
    return get(...asked)
  }
}

/** Verifies passwords with nothing around it, as many at a time as the service does. */
async function hashesPerSecond(count: number): Promise<number> {
  const began = performance.now()
  let left = count
  const workers = Math.max(1, availableParallelism() - 1)
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (left-- > 0) await verify('correct horse', engine.dummyHash)
    }),
  )
  return count / ((performance.now() - began) / 1000)
}

serveCommands(
  port,
  {
    clients: () => clients,
    addFapi: (jwk: object) => addFapi?.(jwk),
    openToAgents: (identifier: string) => openToAgents?.(identifier),
    hashesPerSecond,
    directory: () => ({ requests, reads }),
  },
  async () => {
    await background.close()
    await issuer.close()
    await protocol.close()
    await store.close()
    rmSync(folder, { recursive: true })
  },
)
