import type { Logger } from 'pino'
import { createSharedRateLimit } from '../domain/limits/rate-limit.ts'
import { watchForRestoredDumps } from '../domain/operators/restored-dump.ts'
import type { DatabaseOptions, IdentityServiceOptions } from '../service-options.ts'
import type { DataStore } from '../store/ports.ts'
import { type Connections, createConnections } from '../store/postgres/connections.ts'
import { createPostgresDataStore } from '../store/postgres/data-store.ts'
import { migratePostgres, schemaState } from '../store/postgres/migrate.ts'
import { createPostgresQueues } from '../store/postgres/queue.ts'
import { parseRedisAddress } from '../store/redis/address.ts'
import { connectRedis } from '../store/redis/connect.ts'
import { inspectRedis } from '../store/redis/inspect.ts'
import { createLogMemory } from '../store/redis/log-memory.ts'
import { createRedisProtocolStore } from '../store/redis/protocol-store.ts'
import { openSharedMasterKeys } from './master-key.ts'
import type { OpenData } from './service-data.ts'

/** Opens PostgreSQL and Redis, which any number of processes share. */
export async function openShared(options: IdentityServiceOptions): Promise<OpenData> {
  const { data, database, redis } = options
  if (data !== undefined) throw new TypeError('"data" and "database" exclude each other.')
  if (database === undefined) throw new TypeError('"redis" needs "database", a PostgreSQL.')
  if (redis === undefined) {
    throw new TypeError('"database" needs "redis", where what expires is kept for all processes.')
  }
  // A wrong address is refused before anything is opened or migrated.
  parseRedisAddress(redis)
  const masterKeys = openSharedMasterKeys(options)
  const connections = await connectDatabase(databaseOptions(database))
  const limiting = connectRedis(redis, LIMIT_MS)
  void warnOfEviction(redis, options.logger)
  const store = createPostgresDataStore(connections, options.clock)
  // All processes use the clock of the database, because the clocks of their machines may differ.
  await store.asked
  const { clock = store.clock } = options
  const queues = createPostgresQueues(connections, options.clock, store.mayBeDue)
  const protocol = createRedisProtocolStore({ url: redis, clock, queues })
  const remembering = connectRedis(redis)
  async function closeStores(): Promise<void> {
    limiting.disconnect()
    remembering.disconnect()
    await protocol.close()
    await store.close()
  }
  const watch = await watchForRestoredDumps(
    store,
    createLogMemory(remembering),
    options.logger,
  ).catch(async (error: unknown) => {
    await closeStores()
    throw error
  })
  return {
    store,
    protocol,
    rateLimit: createSharedRateLimit(limiting, options.requestsPerSecond),
    masterKeys,
    clock,
    async close() {
      await watch.close()
      await closeStores()
    },
  }
}

/**
 * Logs a warning if Redis is set to evict keys, because that would log people out later. The start
 * of the service does not wait for this check.
 */
async function warnOfEviction(url: string, logger: Logger | undefined): Promise<void> {
  if (!logger) return
  const client = connectRedis(url)
  try {
    for (const { node, evictionPolicy } of await inspectRedis(client)) {
      if (evictionPolicy === undefined || evictionPolicy === 'noeviction') continue
      logger.warn(
        { node, evictionPolicy },
        'Redis may evict sessions when its memory is full; set maxmemory-policy noeviction.',
      )
    }
  } catch (err) {
    logger.warn({ err }, 'Redis did not say what it does when its memory is full.')
  } finally {
    client.disconnect()
  }
}

/** Opens only the data store in PostgreSQL. */
export async function openSharedDataStore(options: DatabaseOptions): Promise<DataStore> {
  return createPostgresDataStore(await connectDatabase(options))
}

/**
 * The time that an API request waits for the shared rate limit. Then the limit of this process
 * decides.
 */
const LIMIT_MS = 50

/** The options of a database, which may be given as its URL. */
function databaseOptions(database: string | DatabaseOptions): DatabaseOptions {
  return typeof database === 'string' ? { url: database } : database
}

/**
 * Connects to PostgreSQL, and migrates its tables if allowed.
 *
 * @throws if the tables must be migrated but may not be, or if a newer version has migrated them.
 */
async function connectDatabase(options: DatabaseOptions): Promise<Connections> {
  const connections = createConnections(options)
  try {
    const state = await schemaState(connections)
    if (state.kind === 'behind') {
      if (options.migrate === false) {
        throw new Error(
          `The database lacks ${state.missing.join(', ')}. Run: latchkey-service migrate`,
        )
      }
      await migratePostgres(options)
    }
    return connections
  } catch (error) {
    await connections.close()
    throw error
  }
}
