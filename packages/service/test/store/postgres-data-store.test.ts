import { afterAll } from 'vitest'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { describeDataStore } from './data-store-suite.ts'

const database = await createDatabase()
afterAll(() => database.drop())

describeDataStore('PostgreSQL', async () => {
  await database.empty()
  return openPostgresDataStore(database.url)
})
