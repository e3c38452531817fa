import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import { createSqlTables } from '../../src/store/sql/data-store.ts'
import { sql } from '../../src/store/sql/sql.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { anAudit, aTenant, aUser } from './records.ts'

async function aDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = await openDatabase(folder)
  onTestFinished(() => database.close())
  const { write, writer, reader } = database
  const put = (scope: string) =>
    writer.run(sql`insert into counters (scope, value) values (${scope}, 1)`)
  const scopes = async () =>
    (await reader.all(sql<{ scope: string }>`select scope from counters order by scope`)).map(
      ({ scope }) => scope,
    )
  return { folder, database, write, writer, put, scopes }
}

test('a failing write undoes only itself', async () => {
  const { write, put, scopes } = await aDatabase()
  const refusal = new Error('refused')
  const outcomes = await Promise.allSettled([
    write(() => put('a')),
    write(async () => {
      await put('b')
      throw refusal
    }),
    write(() => put('c')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: refusal })
  expect(await scopes()).toEqual(['a', 'c'])
})

test('a write that violates a constraint undoes only itself, and is rejected with the error of SQLite', async () => {
  const { write, put, scopes } = await aDatabase()
  const outcomes = await Promise.allSettled([
    write(() => put('a')),
    write(async () => {
      await put('b')
      await put('a')
    }),
    write(() => put('c')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { code: 'ERR_SQLITE_ERROR' } })
  expect(await scopes()).toEqual(['a', 'c'])
})

test('more writes than one group takes are all written, each once', async () => {
  const { write, put, scopes } = await aDatabase()
  const names = Array.from({ length: 600 }, (_, i) => `scope-${String(i).padStart(3, '0')}`)
  await Promise.all(names.map((name) => write(() => put(name))))
  expect(await scopes()).toEqual(names)
})

test('a write is not read before it is durable', async () => {
  const { write, put, scopes } = await aDatabase()
  const seen = await write(async () => {
    await put('a')
    return scopes()
  })
  expect(seen).toEqual([])
  expect(await scopes()).toEqual(['a'])
})

test('a commit that fails rejects the whole group, and the next one succeeds', async () => {
  const { write, writer, put, scopes } = await aDatabase()
  // A foreign key that is checked at the commit makes the commit itself fail.
  const orphan = () =>
    writer.run(sql`insert into api_key_tenants (key_id, tenant_id) values ('x', 'y')`)
  const outcomes = await Promise.allSettled([
    write(() => put('a')),
    write(async () => {
      await writer.run(sql`pragma defer_foreign_keys = on`)
      await orphan()
    }),
  ])
  expect(outcomes).toEqual([
    { status: 'rejected', reason: expect.any(StoreError) },
    { status: 'rejected', reason: expect.any(StoreError) },
  ])
  await write(() => put('b'))
  expect(await scopes()).toEqual(['b'])
})

test('a full database refuses writes as unavailable, and keeps acknowledged ones', async () => {
  const { folder, database, writer } = await aDatabase()
  const store = await openSqliteDataStore(folder)
  onTestFinished(() => store.close())
  const tenant = aTenant()
  await store.tenants.insert(tenant, anAudit('create'))
  const users = createSqlTables(database, () => sql`0`).users
  await writer.run(sql`pragma max_page_count = 60`)

  const made = Array.from({ length: 400 }, () =>
    aUser(tenant.id, { metadata: { text: 'x'.repeat(1_000) } }),
  )
  const outcomes = await Promise.allSettled(
    made.map((user) => users.insert(user, anAudit('create'))),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(StoreError)

  const acknowledged = made.filter((_, i) => outcomes[i]?.status === 'fulfilled')
  for (const user of acknowledged) expect(await store.users.get(tenant.id, user.id)).toEqual(user)
  const page = await store.users.list(tenant.id, { after: undefined, limit: 100 })
  expect(page?.total).toBe(acknowledged.length)

  await writer.run(sql`pragma max_page_count = 100000`)
  expect(await users.insert(aUser(tenant.id), anAudit('create'))).toMatchObject({
    kind: 'written',
  })
})
