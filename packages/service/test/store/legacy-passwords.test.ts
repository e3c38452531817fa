import { afterAll, describe, onTestFinished } from 'vitest'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { describeLegacyPasswords } from './suite/legacy-passwords.ts'

const database = await createDatabase()
afterAll(() => database.drop())

describe('a data store (PostgreSQL)', () => {
  describeLegacyPasswords(async () => {
    await database.empty()
    const store = openPostgresDataStore(database.url)
    onTestFinished(() => store.close())
    return store
  })
})
