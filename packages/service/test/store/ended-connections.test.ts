import { expect, onTestFinished, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { createDatabase } from '../support/postgres.ts'
import { anAudit, aTenant, aUser } from './records.ts'

test('connections that PostgreSQL ends right after they were made fail a write at most, and never the process', async () => {
  const database = await createDatabase()
  const store = createPostgresDataStore(createConnections({ url: database.url }))
  onTestFinished(async () => {
    await store.close()
    await database.drop()
  })
  const tenant = aTenant()
  await store.tenants.insert(tenant, anAudit('create'))
  let isOver = false
  const failures: unknown[] = []
  let written = 0
  const write = async () => {
    while (!isOver) {
      try {
        await store.users.insert(aUser(tenant.id), anAudit('create'))
        written++
      } catch (error) {
        failures.push(error)
      }
    }
  }
  const writers = Array.from({ length: 8 }, write)
  for (let round = 0; round < 200; round++) {
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'latchkey' and datname = current_database()`)
  }
  isOver = true
  await Promise.all(writers)

  expect(written).toBeGreaterThan(0)
  expect(failures.filter((error) => !(error instanceof StoreError))).toEqual([])
})
