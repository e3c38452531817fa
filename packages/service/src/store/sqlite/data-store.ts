import type { DataStore } from '../ports.ts'
import { createSqlTables } from '../sql/data-store.ts'
import { openDatabase } from './database.ts'

/**
 * A data store in `data.db` of a folder that exists, or in memory. Several processes may open a folder; the one
 * that serves takes ownership first.
 */
export async function openSqliteDataStore(folder: string): Promise<DataStore> {
  const database = await openDatabase(folder)
  return {
    ...createSqlTables(database),
    foreignVersion: database.foreignVersion,
    check: () => database.probe(),
    close: () => database.close(),
  }
}
