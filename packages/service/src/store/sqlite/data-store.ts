import { type Clock, systemClock } from '../../clock.ts'
import type { DataStore } from '../ports.ts'
import { createSqlTables } from '../sql/data-store.ts'
import { sql } from '../sql/sql.ts'
import { createDeliveries } from '../sql/tables/deliveries.ts'
import { openDatabase } from './database.ts'
import { createDeliveryDatabase } from './deliveries.ts'

/**
 * Opens a data store in `data.db` of an existing folder, or in memory. Several processes may open a
 * folder. Only the process that holds the lock of the folder may serve from it.
 *
 * @param clock - The clock for deliveries and jobs. Default: the machine's clock.
 */
export async function openSqliteDataStore(
  folder: string,
  clock: Clock = systemClock,
): Promise<DataStore> {
  const database = await openDatabase(folder)
  const now = () => sql`cast(${Math.floor(clock.now() * 1000)} as integer)`
  return {
    ...createSqlTables(database, now),
    deliveries: createDeliveries(createDeliveryDatabase(database, now)),
    foreignVersion: database.foreignVersion,
    check: () => database.probe(),
    close: () => database.close(),
  }
}
