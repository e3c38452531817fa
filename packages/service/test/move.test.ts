import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createIdentityService } from '@latchkey/service'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  startCluster,
  startRedis,
  type TestRedis,
  until,
} from '../../session-store/test/support/redis.ts'
import { moveFolder } from '../src/operate/move.ts'
import { createConnections } from '../src/store/postgres/connections.ts'
import { migratePostgres } from '../src/store/postgres/migrate.ts'
import { createPostgresQueues } from '../src/store/postgres/queue.ts'
import { createRedisProtocolStore } from '../src/store/redis/protocol-store.ts'
import { tables } from '../src/store/sql/schema.ts'
import { openSqliteDataStore } from '../src/store/sqlite/data-store.ts'
import { createSqliteProtocolStore } from '../src/store/sqlite/protocol-store.ts'
import { run, start, temporaryFolder } from './cli/support.ts'
import { connectApi } from './support/api.ts'
import { pngOf } from './support/images.ts'
import { connect, createDatabase } from './support/postgres.ts'

const database = await createDatabase()
const redis = await startRedis()
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

/** The rows of every table of a data folder. */
function readRows(file: string): Record<string, unknown[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Object.fromEntries(
      Object.keys(tables).map((table) => [
        table,
        db
          .prepare(`select * from ${table} order by 1`)
          .all()
          .map((row) => ({ ...row })),
      ]),
    )
  } finally {
    db.close()
  }
}

test('a folder that was moved to PostgreSQL and Redis is served there as it was', async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const before = await createIdentityService({ data })
  const tenant = await before.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await before.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const old = connectApi(before.fetch, secret, tenant.id)
  for (let i = 0; i < 25; i++) await old.createUser()
  const image = pngOf(2, 2)
  await old.post(`/x${old.tenant}/logo`, { image: image.toString('base64') })
  // Links of before do not count any more, and the log keeps the names of before.
  const [first] = (await old.get(old.users)).body.data
  const profile = { email: 'moved@example.com', name: 'Moved' }
  expect((await old.post(`${old.users}/${first.id}`, { profile })).status).toBe(200)
  const application = await old.create(old.applications, {
    redirect_urls: ['https://a.example/callback'],
  })
  const path = `${old.applications}/${application.id}`
  const { body: withSecret } = await old.get(path)
  const keysOf = async (fetch: typeof globalThis.fetch) =>
    (await fetch('https://acme.example/oidc/jwks')).json()
  const keys = await keysOf(before.fetch)
  const users = await old.get(`${old.users}?limit=100`)
  const audit = await before.admin.audit({ limit: 1_000 })

  const where = { data, database: { url: database.url }, redis: redis.url }
  await expect(moveFolder(where)).rejects.toThrow('is served by another process')
  await before.close()
  const expiresAt = (Date.now() + 3_600_000) * 1000
  const session = { tenantId: tenant.id, kind: 'Session', key: 'k', payload: '{}', expiresAt }
  const protocol = createSqliteProtocolStore({
    path: join(data, 'protocol.db'),
    clock: { now: Date.now },
  })
  await protocol.put({ ...session, uid: 'u', accountId: 'usr_1' })
  await protocol.close()
  const store = await openSqliteDataStore(data)
  await store.mailDays.add(tenant.id, 20_000, 'sent')
  await store.close()

  const moved = await run([
    ...['move', '--data', data, '--database', database.url, '--redis', redis.url],
  ])
  // Node 22 says that its SQLite is experimental.
  expect(moved.stderr).not.toMatch(/error|fail/i)
  expect(moved.stdout).toMatch(/users +25/)
  // No table of the schema is forgotten, whether it has rows or not.
  for (const table of Object.keys(tables))
    expect(moved.stdout).toMatch(new RegExp(`\\b${table} +\\d`))
  const folderRows = readRows(join(data, 'data.db'))
  expect(folderRows.standings).not.toEqual([])
  expect(folderRows.audit_details).not.toEqual([])
  for (const [table, rows] of Object.entries(folderRows)) {
    const [{ n }] = (await database.query(`select count(*)::int as n from ${table}`)) as [
      { n: number },
    ]
    expect(`${table}: ${n}`).toBe(`${table}: ${rows.length}`)
  }
  expect(await database.query('select sent::int from mail_days')).toEqual([{ sent: 1 }])
  const details = await database.query('select * from audit_details order by audit_id')
  expect(details.map((row) => ({ ...row, audit_id: Number(row.audit_id) }))).toEqual(
    folderRows.audit_details,
  )
  const masterKey = readFileSync(join(data, 'master.key'), 'utf8').trim()
  const after = await createIdentityService({ database: database.url, redis: redis.url, masterKey })
  try {
    const api = connectApi(after.fetch, secret, tenant.id)
    expect((await api.get(`${api.users}?limit=100`)).body).toEqual(users.body)
    expect((await api.get(path)).body).toEqual(withSecret)
    expect(await keysOf(after.fetch)).toEqual(keys)
    const { url } = (await api.get(`/x${api.tenant}/logo`)).body
    expect(Buffer.from(await (await after.fetch(url)).arrayBuffer())).toEqual(image)
    expect(await after.admin.audit({ limit: 1_000 })).toEqual(audit)
    await api.createUser('new@example.com')
    expect((await api.get(api.users)).body.total).toBe(26)
    await redis.inspect(async (r) => expect(await r.keys('latchkey:u:*')).toHaveLength(1))
  } finally {
    await after.close()
  }

  await expect(createIdentityService({ data })).rejects.toThrow('was moved to PostgreSQL')
  const late = await run(['tenant', 'create', '--data', data, '--domain', 'late.example'])
  expect(late).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was moved to PostgreSQL'),
  })
  await expect(moveFolder(where)).rejects.toThrow('holds tenants already')
})

/** A folder with a tenant and sessions of one user, and the sessions that its store writes. */
async function aFolder(sessions: number, size = 2) {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  const data = join(folder.path, 'data')
  const service = await createIdentityService({ data })
  const { id: tenantId } = await service.admin.createTenant({ domain: 'acme.example' })
  await service.close()
  const expiresAt = (Date.now() + 3_600_000) * 1000
  const entryOf = (n: number) => ({
    ...{ tenantId, kind: 'Session', key: `k${n}`, payload: `"${'x'.repeat(size)}"`, expiresAt },
    ...{ uid: `u${n}`, accountId: 'usr_1', grantId: `g${n}` },
  })
  const names = Array.from({ length: sessions }, (_, n) => entryOf(n))
  const open = () =>
    createSqliteProtocolStore({ path: join(data, 'protocol.db'), clock: { now: Date.now } })
  const protocol = open()
  for (const entry of names) await protocol.put(entry)
  await protocol.close()
  return { data, names, open }
}

async function anEmptyDatabase() {
  const empty = await createDatabase()
  onTestFinished(() => empty.drop())
  await migratePostgres({ url: empty.url })
  return empty
}

/** Waits until a statement in the database waits for a lock. */
function untilBlocked(target: Awaited<ReturnType<typeof anEmptyDatabase>>): Promise<void> {
  return until('a statement waits', async () => {
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
    return (await target.query(`${waiting} and datname = current_database()`)).length > 0
  })
}

async function keysIn(nodes: readonly TestRedis[]): Promise<string[]> {
  const all = await Promise.all(nodes.map((node) => node.inspect((r) => r.keys('latchkey:*'))))
  return all.flat()
}

async function aCluster() {
  const cluster = await startCluster()
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return { nodes: cluster.nodes, url: `redis-cluster://${hosts}` }
}

describe.each(['one server', 'a Cluster'])('with Redis on %s', (kind) => {
  async function aRedis() {
    if (kind === 'a Cluster') return aCluster()
    const one = await startRedis()
    onTestFinished(() => one[Symbol.asyncDispose]())
    return { nodes: [one], url: one.url }
  }

  test('a session that ends after a failed move is not alive after the next one', async () => {
    const { data, names, open } = await aFolder(250)
    const { nodes, url } = await aRedis()
    const target = await anEmptyDatabase()
    await target.query(`create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'the disk is full'; end $$;
      create constraint trigger refuse after insert on tenants
        deferrable initially deferred for each row execute function refuse()`)
    const where = { data, database: { url: target.url }, redis: url }
    await expect(moveFolder(where)).rejects.toThrow('the disk is full')
    expect(await keysIn(nodes)).toEqual([])

    const [ended, ...alive] = names as [(typeof names)[0], ...typeof names]
    const protocol = open()
    await protocol.delete(ended)
    await protocol.close()
    await target.query('drop trigger refuse on tenants')
    expect((await moveFolder(where)).entries).toBe(alive.length)

    const connections = createConnections({ url: target.url })
    const queues = createPostgresQueues(connections)
    const moved = createRedisProtocolStore({ url, clock: { now: Date.now }, queues })
    try {
      expect(await moved.find(ended)).toBeUndefined()
      const listed = await moved.listByAccount(ended.tenantId, 'Session', 'usr_1')
      expect(listed.map(({ key }) => key).sort()).toEqual(alive.map(({ key }) => key).sort())
    } finally {
      await moved.close()
      await connections.close()
    }
  })

  test('a Redis with entries is refused, and nothing is moved', async () => {
    const { data, names, open } = await aFolder(1)
    const { nodes, url } = await aRedis()
    const target = await anEmptyDatabase()
    const connections = createConnections({ url: target.url })
    const queues = createPostgresQueues(connections)
    const other = createRedisProtocolStore({ url, clock: { now: Date.now }, queues })
    await other.put({ ...(names[0] as (typeof names)[0]), key: 'other' })
    await other.close()
    await connections.close()
    const before = await keysIn(nodes)

    const where = { data, database: { url: target.url }, redis: url }
    await expect(moveFolder(where)).rejects.toThrow(
      'Redis holds sessions already, of another service or of a move that was broken off. ' +
        'Give one that is empty. If nothing else uses this one, empty it with "redis-cli flushdb", ' +
        'on a Cluster at each master.',
    )
    expect((await keysIn(nodes)).sort()).toEqual(before.sort())
    const protocol = open()
    expect(await protocol.find(names[0] as (typeof names)[0])).toBeDefined()
    await protocol.close()

    for (const node of nodes) await node.inspect((r) => r.flushdb())
    expect((await moveFolder(where)).entries).toBe(1)
  })
})

test('a move into a Redis Cluster that becomes full leaves nothing there', async () => {
  const { data, names } = await aFolder(300, 20_000)
  const { nodes, url } = await aCluster()
  const target = await anEmptyDatabase()
  for (const node of nodes) {
    await node.inspect(async (r) => {
      const info = await r.info('memory')
      const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1])
      await r.config('SET', 'maxmemory', used + 1_300_000)
    })
  }
  const where = { data, database: { url: target.url }, redis: url }
  await expect(moveFolder(where)).rejects.toThrow(/OOM/)
  expect(await keysIn(nodes)).toEqual([])
  expect(await target.query('select count(*)::int as n from tenants')).toEqual([{ n: 0 }])

  for (const node of nodes) await node.inspect((r) => r.config('SET', 'maxmemory', 0))
  expect((await moveFolder(where)).entries).toBe(names.length)
})

test('a move that is stopped leaves nothing in Redis, and can be made again', async () => {
  const { data, names } = await aFolder(6_000)
  const other = await startRedis()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const target = await anEmptyDatabase()
  const stop = new AbortController()
  const where = { data, database: { url: target.url }, redis: other.url }
  const moving = moveFolder({ ...where, signal: stop.signal })
  const stopped = expect(moving).rejects.toThrow('Stopped by SIGINT')
  await other.inspect(async (r) => {
    while ((await r.dbsize()) === 0);
    stop.abort(new Error('Stopped by SIGINT. Nothing was moved.'))
  })
  await stopped
  expect(await keysIn([other])).toEqual([])
  expect((await moveFolder(where)).entries).toBe(names.length)
})

test('a command that is interrupted moves nothing', async () => {
  const { data } = await aFolder(1)
  const other = await startRedis()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const target = await anEmptyDatabase()
  // The command waits for this lock before it copies anything.
  const locker = await connect(target.url)
  onTestFinished(() => locker.end())
  await locker.query('begin; select n from revision for update')
  const command = ['move', '--data', data, '--database', target.url, '--redis', other.url]
  const child = start(command, {})
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await untilBlocked(target)
  child.kill('SIGINT')
  // The signal arrives before the answer of PostgreSQL.
  await sleep(100)
  await locker.query('rollback')
  expect([await ended, said]).toEqual([
    1,
    expect.stringContaining('Stopped by SIGINT. Nothing was moved.'),
  ])
  expect(await keysIn([other])).toEqual([])
  expect(await target.query('select count(*)::int as n from tenants')).toEqual([{ n: 0 }])
})

test('a command that writes while the folder is moved is refused, so that nothing it wrote is lost', async () => {
  const { data } = await aFolder(1)
  const other = await startRedis()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const target = await anEmptyDatabase()
  // The move has copied the tenants, and waits for this lock.
  const locker = await connect(target.url)
  onTestFinished(() => locker.end())
  await locker.query('begin; lock table audit')
  const moving = moveFolder({ data, database: { url: target.url }, redis: other.url })
  await untilBlocked(target)
  const late = await run(['tenant', 'create', '--data', data, '--domain', 'late.example'])
  await locker.query('rollback')
  const { rows } = await moving
  expect(late).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another process is writing to the data'),
  })
  expect(readRows(join(data, 'data.db')).tenants).toHaveLength(rows.tenants ?? 0)
})

test('a move whose mark cannot be written says that everything was moved', async () => {
  const { data } = await aFolder(1)
  const other = await startRedis()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const target = await anEmptyDatabase()
  mkdirSync(join(data, 'moved.json'))
  await expect(
    moveFolder({ data, database: { url: target.url }, redis: other.url }),
  ).rejects.toThrow(/Everything was moved, but .* EISDIR.* Create the file .*moved\.json/)
  expect(await target.query('select count(*)::int as n from tenants')).not.toEqual([{ n: 0 }])
})

test('a move that cannot remove its copy says so', async () => {
  const { data } = await aFolder(1)
  const other = await startRedis()
  onTestFinished(() => other[Symbol.asyncDispose]())
  const target = await anEmptyDatabase()
  await other.inspect((r) =>
    r.call('acl', 'setuser', 'mover', 'on', '>secret', '~*', '+@all', '-unlink'),
  )
  await target.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full'; end $$;
    create constraint trigger refuse after insert on tenants
      deferrable initially deferred for each row execute function refuse()`)
  const redis = other.url.replace('://', '://mover:secret@')
  await expect(moveFolder({ data, database: { url: target.url }, redis })).rejects.toThrow(
    /the disk is full\. Copied sessions may have stayed in Redis: .*unlink.* empty it/,
  )
})
