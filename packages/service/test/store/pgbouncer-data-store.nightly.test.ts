import { afterAll, expect, test } from 'vitest'
import { startPgbouncer } from '../../../../test/support/pgbouncer.ts'
import { sharedPostgres } from '../../../../test/support/postgres-server.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { createDatabase } from '../support/postgres.ts'
import { describeDataStore } from './data-store-suite.ts'

const database = await createDatabase({ migrate: false })
const pooler = await startPgbouncer(await sharedPostgres())
afterAll(async () => {
  await pooler[Symbol.asyncDispose]()
  await database.drop()
})

const url = new URL(database.url)
url.port = String(pooler.port)
const options = { url: url.href, preparedStatements: pooler.keepsStatements }
await migratePostgres(options)

describeDataStore('PostgreSQL through PgBouncer in transaction mode', async () => {
  await database.empty()
  return createPostgresDataStore(createConnections(options))
})

test('one task runs in one process at a time, through PgBouncer as well', async () => {
  const stores = [1, 2, 3].map(() => createPostgresDataStore(createConnections(options)))
  let atOnce = 0
  let most = 0
  let runs = 0
  const work = async () => {
    most = Math.max(most, ++atOnce)
    await stores[0]?.check()
    atOnce--
    runs++
  }
  while (runs < 3) await Promise.all(stores.map((store) => store.exclusively?.('task', work)))
  expect(most).toBe(1)
  await Promise.all(stores.map((store) => store.close()))
})
