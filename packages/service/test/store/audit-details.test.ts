import { describe, onTestFinished } from 'vitest'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { describeAuditDetails } from './suite/audit-details.ts'

describe('the details of audit entries, on PostgreSQL', () => {
  describeAuditDetails(async () => {
    const database = await createDatabase()
    const store = openPostgresDataStore(database.url)
    onTestFinished(async () => {
      await store.close()
      await database.drop()
    })
    return store
  })
})
