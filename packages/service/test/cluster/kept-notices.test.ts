import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVault } from '../../src/domain/writes/vault.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import type { ClaimedMessage } from '../../src/store/protocol-store.ts'
import { clusterKey } from '../support/cluster.ts'
import { createDatabase, type TestDatabase } from '../support/postgres.ts'
import { keepNotices } from './kept-notices.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('a notice that is tried again and sent counts once, and two notices of one user count twice', async () => {
  const kept = await keepNotices(database)
  const connections = createConnections({ url: database.url })
  const { notices } = createPostgresQueues(connections)
  const vault = createVault(clusterKey)
  for (const [id, sub] of Object.entries({ one: 'ada', two: 'bob', three: 'bob' })) {
    const sealed = vault.seal(`notice:${id}`, JSON.stringify({ clientId: 'shop', sub }))
    await notices.add({ id, tenantId: 'acme', sealed })
  }
  const claimed = await notices.claim(3, 15)
  expect(claimed).toHaveLength(3)
  await notices.retry(claimed.find(({ id }) => id === 'one') as ClaimedMessage, 0)
  expect(await notices.claim(3, 15)).toHaveLength(1)
  for (const id of ['one', 'two', 'three']) await notices.remove(id)
  expect(await kept.count()).toEqual(
    new Map([
      ['ada', 1],
      ['bob', 2],
    ]),
  )
  await connections.close()
})
