import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { systemClock } from './clock.ts'
import type { DomainContext } from './domain/context.ts'
import { createPasswordEngine } from './domain/password-engine.ts'
import { createVault } from './domain/vault.ts'
import { type MasterKeySource, openMasterKeys } from './master-key.ts'
import { openSqliteDataStore } from './store/sqlite/data-store.ts'

/** The rules over a data folder, without serving from it: for commands beside a running server. */
export async function createOfflineContext(
  folder: string,
  source: Omit<MasterKeySource, 'data'>,
): Promise<{ context: DomainContext; close(): Promise<void> }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keys = openMasterKeys({ ...source, data: folder })
  const store = await openSqliteDataStore(folder)
  const context: DomainContext = {
    store,
    clock: systemClock,
    passwords: createPasswordEngine(),
    vault: createVault(keys),
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    events: new EventEmitter(),
  }
  return { context, close: () => store.close() }
}
