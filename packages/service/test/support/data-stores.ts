import { onTestFinished } from 'vitest'
import type { DataStore } from '../../src/store/ports.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { createDatabase, openPostgresDataStore } from './postgres.ts'

/** Opens an empty store of each kind for the test that runs. */
export const dataStores: Record<string, () => Promise<DataStore>> = {
  SQLite: () => openSqliteDataStore(':memory:'),
  async PostgreSQL() {
    const database = await createDatabase()
    onTestFinished(() => database.drop())
    return openPostgresDataStore(database.url)
  },
}
