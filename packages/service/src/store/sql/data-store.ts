import type { DataStore } from '../ports.ts'
import { createApiKeys } from './api-keys.ts'
import { createApplications } from './applications.ts'
import { createAudit, createRecord } from './audit.ts'
import { createCredentials } from './credentials.ts'
import type { Engine } from './engine.ts'
import { createSigningKeys } from './signing-keys.ts'
import { createTenants } from './tenants.ts'
import { createUsers } from './users.ts'

/** The tables of a data store, whichever SQL database they are in. */
export function createSqlTables(
  engine: Engine,
): Omit<DataStore, 'foreignVersion' | 'check' | 'close'> {
  const record = createRecord(engine)
  return {
    tenants: createTenants(engine, record),
    applications: createApplications(engine, record),
    users: createUsers(engine, record),
    credentials: createCredentials(engine, record),
    apiKeys: createApiKeys(engine, record),
    signingKeys: createSigningKeys(engine, record),
    audit: createAudit(engine, record),
  }
}
