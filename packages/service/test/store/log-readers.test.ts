import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { type HeldShard, VOID_SESSIONS } from '../../src/store/cursors.ts'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { anAudit } from './records.ts'

const database = await createDatabase()
afterAll(() => database.drop())

function aStore() {
  const store = openPostgresDataStore(database.url)
  onTestFinished(() => store.close())
  return store
}

type Store = ReturnType<typeof aStore>

async function claimAll(store: Store, limit = 8): Promise<HeldShard[]> {
  return vi.waitFor(async () => {
    const held = await store.cursors.claim(VOID_SESSIONS, limit)
    expect(held?.length).toBe(limit)
    return held as HeldShard[]
  })
}

/** Reads everything that parts have not read; answers with the actions. */
async function readAll(store: Store, held: HeldShard[]): Promise<string[]> {
  const { entries, shards } = await store.cursors.read(held, 1_000)
  await store.cursors.keep(VOID_SESSIONS, shards, true)
  return entries.map(({ action }) => action)
}

const entry = (action: string, tenantId = 'ten_a') => anAudit(action, { tenantId })

test('the lag of a reader is the age of its oldest unread entry', async () => {
  const store = aStore()
  await startAtEnd(store)
  const lag = async () =>
    (await store.cursors.lag()).find(({ reader }) => reader === VOID_SESSIONS)?.oldestAt
  await vi.waitFor(async () => expect(await lag()).toBeUndefined())
  const oldest = entry('unread', 'ten_b')
  await store.audit.append(oldest)
  await store.audit.append({ ...entry('unread'), at: oldest.at + 5_000_000 })
  expect(await lag()).toBe(oldest.at)
  await vi.waitFor(async () => {
    await readAll(store, (await store.cursors.claim(VOID_SESSIONS, 8)) ?? [])
    expect(await lag()).toBeUndefined()
  })
})

/** Brings every reader to the end of the log. */
async function startAtEnd(store: Store): Promise<void> {
  await store.audit.append(entry('first'))
  await database.query("update cursors set held_until = '-infinity'")
  await readAll(store, await claimAll(store))
}

test('an entry that is still being written holds up no other, and is read once it is there', async () => {
  const store = aStore()
  await startAtEnd(store)
  await database.query('begin')
  await database.query(`insert into audit (at, actor, action, target, tenant_id)
    values (1, 'admin', 'early', 'x', 'ten_a')`)
  for (const n of [1, 2, 3]) {
    await store.audit.append(entry(`late ${n}`))
    expect(await readAll(store, await claimAll(store))).toEqual([`late ${n}`])
  }
  await database.query('commit')
  await vi.waitFor(async () =>
    expect(await readAll(store, await claimAll(store))).toEqual(['early']),
  )
})

test('two processes read different parts of the log, and each entry is read once', async () => {
  const [one, other] = [aStore(), aStore()]
  await startAtEnd(one)
  for (const tenant of 'abcdefgh') await one.audit.append(entry(tenant, `ten_${tenant}`))
  const [mine, theirs] = [await claimAll(one, 4), await claimAll(other, 4)]
  expect(await one.cursors.claim(VOID_SESSIONS, 8)).toEqual([])
  const read = [...(await readAll(one, mine)), ...(await readAll(other, theirs))]
  expect(read.toSorted()).toEqual([...'abcdefgh'])
})

test('a process that was stopped until its lease expired keeps nothing of what it read', async () => {
  const [stopped, other] = [aStore(), aStore()]
  await startAtEnd(stopped)
  await stopped.audit.append(entry('a'))
  const held = await claimAll(stopped)
  const { shards } = await stopped.cursors.read(held, 10)
  await database.query("update cursors set held_until = clock_timestamp() - interval '1 second'")
  const taken = await claimAll(other)
  expect(await stopped.cursors.keep(VOID_SESSIONS, shards, true)).toEqual([])
  expect(await readAll(other, taken)).toEqual(['a'])
})

test('entries that several processes write in parallel are each read once, in any order of commits', async () => {
  const stores = [aStore(), aStore(), aStore()]
  await startAtEnd(stores[0] as Store)
  const written: string[] = []
  const read: string[] = []
  let isOver = false
  const writing = stores.map(async (store, who) => {
    for (let n = 0; n < 150; n++) {
      written.push(`${who} ${n}`)
      await store.audit.append(entry(`${who} ${n}`, `ten_${'abcdefgh'[n % 8]}`))
    }
  })
  const hold = database.query(`do $$ begin for n in 1..20 loop
    insert into audit (at, actor, action, target, tenant_id) values (1, 'a', 'held ' || n, 'x', 'ten_a');
    perform pg_sleep(0.02); if n % 4 = 0 then rollback; else commit; end if; end loop; end $$`)
  for (let n = 1; n <= 20; n++) if (n % 4 !== 0) written.push(`held ${n}`)
  const reading = stores.map(async (store) => {
    while (!isOver) {
      const held = await store.cursors.claim(VOID_SESSIONS, 3)
      if (held?.length) {
        const { entries, shards } = await store.cursors.read(held, 20)
        await store.cursors.keep(VOID_SESSIONS, shards, true)
        read.push(...entries.map(({ action }) => action))
      }
    }
  })
  await Promise.all([...writing, hold])
  await vi.waitFor(() => expect(read.length).toBeGreaterThanOrEqual(written.length))
  isOver = true
  await Promise.all(reading)
  expect(read.toSorted()).toEqual(written.toSorted())
})

test('after a failover that lost entries, readers and exports wait for the entries that take their ids', async () => {
  await using postgres = await startPostgres()
  const lost = await createDatabase({ port: postgres.port })
  onTestFinished(() => lost.drop().catch(() => {}))
  const store = openPostgresDataStore(lost.url)
  onTestFinished(() => store.close())
  for (let n = 0; n < 5; n++) await store.audit.append(entry('kept'))
  for (let n = 0; n < 5; n++) await store.audit.append(entry('lost'))
  expect(await store.audit.after(0, 100)).toHaveLength(10)
  // What a standby has that was behind: fewer entries, and a sequence that gives their ids once more.
  await lost.query('delete from audit where id > 5')
  await lost.query("select setval('audit_id_seq', 5)")
  await postgres.stop('fast')
  await postgres.start()
  await vi.waitFor(() => lost.query('select 1'))
  await lost.query('begin')
  await lost.query(
    "insert into audit (at, tenant_id, actor, action, target, outcome) values (1, 'ten_a', 'a', 'slow', 't', 'success')",
  )
  await vi.waitFor(() => store.audit.append(entry('quick')))
  const actions = async () => (await store.audit.after(5, 100)).map(({ action }) => action)
  expect(await actions()).toEqual([])
  expect((await store.audit.afterOf('ten_a', 5, 100)).readTo).toBe(5)
  await lost.query('commit')
  await vi.waitFor(async () => expect(await actions()).toEqual(['slow', 'quick']))
})
