import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApiKey } from '../../src/domain/keys/api-keys.ts'
import { createRateLimit } from '../../src/domain/limits/rate-limit.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'
import type { PasswordEngine } from '../../src/domain/users/password-engine.ts'
import type { DomainContext, Scope } from '../../src/domain/writes/context.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { createApi } from '../../src/http/app.ts'
import { createHttpServer } from '../../src/server/http-server.ts'
import { connectInProcess } from '../../src/server/in-process.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { IN_MEMORY } from '../../src/store/sqlite/database.ts'
import { createClientIp } from '../../src/wire/client.ts'
import { type Api, anyStore, connectApi, type StoreName } from './api.ts'
import { sharedCluster, withoutProcesses } from './cluster.ts'
import { openPostgresDataStore } from './postgres.ts'
import { quickPasswords } from './quick-passwords.ts'

/** An API whose inside is within reach: to log in without an issuer, to count, to inject faults. */
export interface OpenApi extends Omit<Api, 'service'> {
  context: DomainContext
  /** A visitor of the tenant. */
  scope: Scope
}

/** What {@link openApi} builds on. */
export interface Inside {
  /** Default: the real one. */
  passwords?: PasswordEngine
  /** Wraps the store that the API works with. */
  wrap?: (store: DataStore) => DataStore
}

/** Starts the REST half of a service with one tenant and a key that reaches it. */
export async function openApi(
  storeName: StoreName = anyStore,
  { passwords = quickPasswords, wrap = (store) => store }: Inside = {},
): Promise<OpenApi> {
  const folder =
    storeName === 'SQLite' ? mkdtempSync(join(tmpdir(), 'latchkey-service-test-')) : undefined
  const store = await openStore(storeName, folder)
  const context: DomainContext = {
    store: wrap(store),
    clock: { now: () => Date.now() },
    passwords,
    leaks: noLeakedPasswords,
    vault: createVault(new Uint8Array(32)),
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    events: new EventEmitter(),
  }
  const admin = { context, actor: { name: 'admin' } }
  const tenant = await createTenant(admin, {
    name: '',
    metadata: {},
    settings: { ...defaultSettings, domain: 'acme.example' },
  })
  const { secret } = await createApiKey(admin, { name: 'tests', reach: [tenant.id] })
  const api = createApi({
    context,
    // There is no issuer.
    support: {} as never,
    webhooks: {} as never,
    commandLogins: { find: async () => undefined },
    consoleUrl: undefined,
    logger: pino({ level: 'silent' }),
    rateLimit: createRateLimit(1_000_000),
    clientIp: createClientIp([], pino({ level: 'silent' })),
    ready: async () => {},
  })
  const inProcess = connectInProcess(createHttpServer((req, res) => api(req, res)))
  return {
    ...connectApi(inProcess.fetch, secret, tenant.id),
    context,
    scope: { context, actor: { name: 'visitor' }, tenantId: tenant.id },
    async [Symbol.asyncDispose]() {
      await inProcess.close()
      await store.close()
      if (folder) rmSync(folder, { recursive: true })
    },
  }
}

async function openStore(name: StoreName, folder = ''): Promise<DataStore> {
  if (name === 'memory') return openSqliteDataStore(IN_MEMORY)
  if (name === 'SQLite') return openSqliteDataStore(folder)
  const { database } = await sharedCluster(withoutProcesses)
  await database.empty()
  return openPostgresDataStore(database.url)
}
