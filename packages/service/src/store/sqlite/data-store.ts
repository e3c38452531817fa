import type { DataStore } from '../ports.ts'
import { createApiKeys } from './api-keys.ts'
import { createApplications } from './applications.ts'
import { createAudit } from './audit.ts'
import { createCredentials } from './credentials.ts'
import { openDatabase } from './database.ts'
import { createSigningKeys } from './signing-keys.ts'
import { createTables } from './tables.ts'
import { createTenants } from './tenants.ts'
import { createUsers } from './users.ts'

/**
 * A data store in `data.db` of a folder that exists. Several processes may open it; the one that
 * serves takes ownership first.
 */
export async function openSqliteDataStore(folder: string): Promise<DataStore> {
  const database = await openDatabase(folder)
  const tables = createTables(database)
  return {
    tenants: createTenants(tables),
    applications: createApplications(tables),
    users: createUsers(tables),
    credentials: createCredentials(tables),
    apiKeys: createApiKeys(tables),
    signingKeys: createSigningKeys(tables),
    audit: createAudit(tables),
    foreignVersion: database.foreignVersion,
    check: () => tables.write(async () => {}),
    close: () => database.close(),
  }
}
