import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import type { MessageQueue } from '../../src/store/protocol-store.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { createDatabase } from '../support/postgres.ts'

/** Two messages of each of 5,000 tenants, which wait after a failed attempt. */
const outage = (series: string) => `
  insert into mail (id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id)
    select 'm' || n, 'ten_' || (n / 2), n, n, 1, 'sealed', 'reset', 'usr_' || n
    from ${series} where n < 10000`

async function expectItsMessages(queue: MessageQueue): Promise<void> {
  const one = () => queue.undelivered(['ten_2500', 'ten_2500', 'ten_other'], undefined)
  const all = () => queue.undelivered(undefined, undefined)
  const waiting = { tenantId: 'ten_2500', state: 'waiting', count: 2, isMore: false }
  expect(await one()).toEqual([{ ...waiting, answer: undefined }])
  expect(await all()).toHaveLength(5_000)
}

test('on SQLite, the messages of one tenant are counted among those of 5,000', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-undelivered-'))
  const path = join(folder, 'protocol.db')
  const store = createSqliteProtocolStore({ path, clock: systemClock })
  onTestFinished(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })
  const database = new DatabaseSync(path)
  const series =
    'with recursive series(n) as (select 0 union all select n + 1 from series limit 10000)'
  database.exec(`${series} ${outage('series')}`)
  database.close()
  await expectItsMessages(store.mail)
})

test('on PostgreSQL, the messages of one tenant are counted among those of 5,000', async () => {
  const database = await createDatabase()
  const connections = createConnections({ url: database.url })
  onTestFinished(async () => {
    await connections.close()
    await database.drop()
  })
  await database.query(outage('generate_series(0, 9999) as n'))
  await database.query('vacuum analyze mail')
  await expectItsMessages(createPostgresQueues(connections, systemClock).mail)
})
