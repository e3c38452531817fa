import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import { noLeakedPasswords } from '../domain/users/leaked-passwords.ts'
import { createPasswordEngine } from '../domain/users/password-engine.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { createVault, type MasterKeys } from '../domain/writes/vault.ts'
import {
  type MasterKeySource,
  openMasterKeys,
  openSharedMasterKeys,
} from '../opening/master-key.ts'
import type { DatabaseOptions } from '../service-options.ts'
import type { DataStore } from '../store/ports.ts'
import { openSqliteDataStore } from '../store/sqlite/data-store.ts'
import { refuseMoved } from '../store/sqlite/moved-folder.ts'

/**
 * Creates the domain context of a data folder or a PostgreSQL database, for commands. A service may
 * be serving the same data.
 */
export async function createOfflineContext(
  where: { data: string } | { database: DatabaseOptions },
  source: Omit<MasterKeySource, 'data'>,
): Promise<{ context: DomainContext; close(): Promise<void> }> {
  const { store, keys } =
    'data' in where
      ? await openFolder(where.data, source)
      : await openDatabase(where.database, source)
  const context: DomainContext = {
    store,
    clock: systemClock,
    passwords: createPasswordEngine(),
    leaks: noLeakedPasswords,
    vault: createVault(keys),
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    events: new EventEmitter(),
  }
  return { context, close: () => store.close() }
}

type Opened = { store: DataStore; keys: MasterKeys }

async function openFolder(data: string, source: MasterKeySource): Promise<Opened> {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  refuseMoved(data)
  const keys = openMasterKeys({ ...source, data })
  const store = await openSqliteDataStore(data)
  try {
    // A move may have ended while the store waited for its lock.
    refuseMoved(data)
  } catch (error) {
    await store.close()
    throw error
  }
  return { store, keys }
}

async function openDatabase(database: DatabaseOptions, source: MasterKeySource): Promise<Opened> {
  const keys = openSharedMasterKeys(source)
  const { openSharedDataStore } = await import('../opening/open-shared.ts')
  return { store: await openSharedDataStore(database), keys }
}
