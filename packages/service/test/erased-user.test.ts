import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { IdentityServiceOptions } from '@latchkey/service'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startRedis, type TestRedis } from '../../session-store/test/support/redis.ts'
import { startConsole } from './console/support.ts'
import { aTenant, PASSWORD } from './console/tenant.ts'
import { createDatabase } from './support/postgres.ts'

/** What is Ada's alone: a row that has one of them is about her. */
const HERS = ['ada-erased', 'ada-before', 'Lovelace-Erased', 'CN-4711']

/** A store, and every row of it as text, by table. */
interface Store {
  options: IdentityServiceOptions
  rows(): Promise<{ table: string; row: string }[]>
}

const stores: Record<string, () => Promise<Store>> = {
  async SQLite() {
    const data = mkdtempSync(join(tmpdir(), 'latchkey-erased-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    return {
      options: { data },
      rows: async () =>
        readdirSync(data)
          .filter((file) => file.endsWith('.db'))
          .flatMap((file) => rowsOf(join(data, file))),
    }
  },
  async PostgreSQL() {
    const database = await createDatabase()
    onTestFinished(() => database.drop())
    const redis = await startRedis()
    onTestFinished(() => redis[Symbol.asyncDispose]())
    const masterKey = Buffer.alloc(32, 7).toString('base64')
    return {
      options: { database: database.url, redis: redis.url, masterKey },
      async rows() {
        const tables = await database.query(
          "select tablename as name from pg_tables where schemaname = 'public'",
        )
        const rows = await valuesOf(redis)
        for (const { name } of tables) {
          const read = await database.query(`select t::text as row from "${name}" t`)
          rows.push(...read.map(({ row }) => ({ table: String(name), row: String(row) })))
        }
        return rows
      },
    }
  },
}

function rowsOf(file: string): { table: string; row: string }[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = db
      .prepare("select name from sqlite_master where type = 'table' and sql not like '%virtual%'")
      .all() as { name: string }[]
    return tables.flatMap(({ name }) =>
      db
        .prepare(`select * from "${name}"`)
        .all()
        .map((row) => ({ table: name, row: textOf(Object.values(row)) })),
    )
  } finally {
    db.close()
  }
}

/** Every key with its value, as Redis dumps it. */
function valuesOf(redis: TestRedis): Promise<{ table: string; row: string }[]> {
  return redis.inspect(async (connection) => {
    const keys = await connection.keys('*')
    const values = await Promise.all(keys.map((key) => connection.dumpBuffer(key)))
    return keys.map((key, at) => ({ table: 'redis', row: textOf([key, values[at]]) }))
  })
}

function textOf(values: unknown[]): string {
  return values
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value))
    .join('|')
}

test.each(Object.keys(stores))(
  'a deleted user is in no row of the database, on %s',
  async (name) => {
    const store = await (stores[name] as () => Promise<Store>)()
    await using running = await startConsole(store.options)
    const tenant = await aTenant(running)
    const { id } = await tenant.addUser({
      email: 'ada-before@example.com',
      name: 'Ada Lovelace-Erased',
    })
    const user = `/v1/tenants/${tenant.id}/users/${id}`
    await tenant.call('POST', user, { metadata: { customer: 'CN-4711' } })
    await tenant.logIn('ada-before@example.com', 'a wrong password')
    const ada = await tenant.logIn('ada-before@example.com')
    const chosen = { current: PASSWORD, password: 'another good password' }
    await ada.submit(await ada.get('/account/password'), chosen)
    const profile = { email: 'ada-erased@example.com', name: 'Ada Lovelace-Erased' }
    await tenant.call('POST', user, { profile })
    await tenant.logIn('ada-erased@example.com', chosen.password)
    const found = async () => tablesOf(await store.rows())
    expect(await found()).toEqual(
      expect.arrayContaining(
        name === 'SQLite'
          ? ['audit_details', 'entry', 'users']
          : ['audit_details', 'redis', 'users'],
      ),
    )

    expect(await tenant.call('DELETE', user)).toMatchObject({ status: 200 })
    await vi.waitFor(async () => expect(await found()).toEqual([]), { interval: 100 })
  },
)

/** The tables with a row that has a mark of hers. */
function tablesOf(rows: { table: string; row: string }[]): string[] {
  const hers = rows.filter(({ row }) => HERS.some((mark) => row.includes(mark)))
  return [...new Set(hers.map(({ table }) => table))].sort()
}
