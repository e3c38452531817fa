import { describe, expect, onTestFinished } from 'vitest'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { describeAuditDetails } from './suite/audit-details.ts'

describe('the details of audit entries, on PostgreSQL', () => {
  describeAuditDetails(async () => {
    const database = await createDatabase()
    const store = openPostgresDataStore(database.url)
    onTestFinished(async () => {
      await store.close()
      // Each undoes a write, and PostgreSQL notices it only after a second.
      const [{ deadlocks } = {}] = await database.query(
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
      expect(deadlocks).toBe('0')
      await database.drop()
    })
    return store
  })
})
