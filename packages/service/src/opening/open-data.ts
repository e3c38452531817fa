import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../clock.ts'
import { createRateLimit } from '../domain/limits/rate-limit.ts'
import type { IdentityServiceOptions } from '../service-options.ts'
import { openSqliteDataStore } from '../store/sqlite/data-store.ts'
import { IN_MEMORY } from '../store/sqlite/database.ts'
import { removeLeftDrafts } from '../store/sqlite/drafts.ts'
import { refuseMoved } from '../store/sqlite/moved-folder.ts'
import { takeOwnership } from '../store/sqlite/owner-lock.ts'
import { createSqliteProtocolStore } from '../store/sqlite/protocol-store.ts'
import { openMasterKeys } from './master-key.ts'
import type { OpenData } from './service-data.ts'

/**
 * Opens the stores that the options describe: in memory, in a folder, or in PostgreSQL and Redis.
 */
export async function openData(options: IdentityServiceOptions): Promise<OpenData> {
  const { data, database, redis, clock = systemClock } = options
  if (database === undefined && redis === undefined) {
    return data === undefined ? openMemory(options, clock) : openFolder(data, options, clock)
  }
  // Imported only here, because PostgreSQL and Redis each need a client library.
  const { openShared } = await import('./open-shared.ts')
  return openShared(options)
}

async function openMemory(options: IdentityServiceOptions, clock: Clock): Promise<OpenData> {
  const store = await openSqliteDataStore(IN_MEMORY, clock)
  const protocol = createSqliteProtocolStore({ path: IN_MEMORY, clock })
  return {
    store,
    protocol,
    rateLimit: createRateLimit(options.requestsPerSecond),
    masterKeys: openMasterKeys(options),
    clock,
    async close() {
      await protocol.close()
      await store.close()
    },
  }
}

async function openFolder(
  folder: string,
  options: IdentityServiceOptions,
  clock: Clock,
): Promise<OpenData> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  refuseMoved(folder)
  const lock = takeOwnership(folder)
  try {
    removeLeftDrafts(folder)
    const masterKeys = openMasterKeys(options)
    const store = await openSqliteDataStore(folder, clock)
    const protocol = createSqliteProtocolStore({ path: join(folder, 'protocol.db'), clock })
    return {
      store,
      protocol,
      rateLimit: createRateLimit(options.requestsPerSecond),
      masterKeys,
      clock,
      async close() {
        await protocol.close()
        await store.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
