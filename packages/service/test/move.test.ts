import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createIdentityService } from '@latchkey/service'
import { afterAll, expect, test } from 'vitest'
import { startRedis } from '../../session-store/test/support/redis.ts'
import { moveFolder } from '../src/operate/move.ts'
import { tables } from '../src/store/sql/schema.ts'
import { openSqliteDataStore } from '../src/store/sqlite/data-store.ts'
import { createSqliteProtocolStore } from '../src/store/sqlite/protocol-store.ts'
import { run, temporaryFolder } from './cli/support.ts'
import { connectApi } from './support/api.ts'
import { pngOf } from './support/images.ts'
import { createDatabase } from './support/postgres.ts'

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
