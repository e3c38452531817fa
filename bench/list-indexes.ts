import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { migratePostgres } from '../packages/service/src/store/postgres/migrate.ts'
import { openSqliteDataStore } from '../packages/service/src/store/sqlite/data-store.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of the indexes of lists: rows inserted per second and bytes a row, with all indexes and without some of them.
 * Each of ROUNDS makes every table empty and inserts ROWS, BATCH in a commit.
 */

const ROWS = Number(process.env.ROWS ?? 50_000)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const BATCH = 50
const TENANT = 'ten_bench'

/** A database that is measured. */
interface Measured {
  say(sql: string): Promise<unknown>
  /** Makes a table empty, without its triggers. */
  clear(table: string): Promise<unknown>
  /** A statement that inserts users, with the texts in which a search looks. */
  withTexts(insert: string): string
  bytesOf(table: string): Promise<number>
  /** The names of the indexes of a table and the statements that make them. */
  indexesOf(table: string): Promise<{ name: string; sql: string }[]>
}

const pick = (values: readonly string[], n: number) => `'${values[n % values.length]}'`
const actions = ['login.succeeded', 'login.wrong_password', 'user.update', 'logout.succeeded']
const idOf = (n: number) => `usr_${String((n * 7_919) % 1_000_003).padStart(26, '0')}`

const tables = {
  audit: {
    columns: 'at, tenant_id, actor, request_id, action, target, outcome, address',
    values: (n: number) =>
      `(${n}, '${TENANT}', 'user:${idOf(n)}', '${crypto.randomUUID()}', ${pick(actions, n)}, '${idOf(n)}', 'success', '192.0.2.7')`,
    without: /^audit_by_(action|tenant_and_action|actor)$/,
  },
  users: {
    columns:
      'tenant_id, id, email, email_key, profile, metadata, disabled, verified_at, sessions_valid_after, created_at, updated_at, name_key, family_name_key',
    values: (n: number) => {
      const name = `${crypto.randomUUID().slice(0, 8)}.${n}`
      const email = `'${name}@customers.example'`
      return `('${TENANT}', 'usr_${String(n).padStart(26, '0')}', ${email}, ${email}, '{"name":"Ada ${name}"}', '{}', 0, 1, 0, 1, 1,
        'ada ${name}', 'of ${name}')`
    },
    without: /^users_(by_domain|by_trigrams|text_\w+)$/,
  },
} as const

async function measure(name: string, database: Measured): Promise<void> {
  await database.say(`insert into tenants (id, domain, name, settings, metadata, created_at, updated_at)
    values ('${TENANT}', 'x.test', '', '{}', '{}', 1, 1)`)
  for (const [table, { columns, values, without }] of Object.entries(tables)) {
    const left = (await database.indexesOf(table)).filter((one) => without.test(one.name))
    const rates = new Map<string, number[]>()
    const bytes = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const what of ['with', 'without']) {
        for (const one of left) {
          const kind = /^create trigger/i.test(one.sql) ? 'trigger' : 'index'
          await database.say(`drop ${kind} if exists ${one.name}`)
        }
        await database.clear(table)
        for (const one of what === 'with' ? left : []) await database.say(one.sql)
        await database.say('vacuum')
        const before = await database.bytesOf(table)
        const began = performance.now()
        for (let n = 0; n < ROWS; n += BATCH) {
          const lines = Array.from({ length: BATCH }, (_, i) => values(n + i))
          const rows = `insert into ${table} (${columns}) values ${lines.join(', ')}`
          const isSearched = table === 'users' && what === 'with'
          await database.say(isSearched ? database.withTexts(rows) : rows)
        }
        const perSecond = ROWS / ((performance.now() - began) / 1_000)
        rates.set(what, [...(rates.get(what) ?? []), perSecond])
        bytes.set(what, ((await database.bytesOf(table)) - before) / ROWS)
      }
    }
    for (const [what, all] of rates) {
      console.log(row(`${name}, ${table} ${what} them`, median(all), bytes.get(what) ?? 0))
    }
  }
}

console.log(row(`${ROWS} rows`, 'rows/s', 'bytes a row'))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
try {
  const store = await openSqliteDataStore(folder)
  const database = new DatabaseSync(join(folder, 'data.db'))
  database.exec('pragma synchronous = full; pragma secure_delete = on')
  await measure('SQLite', {
    say: async (sql) => database.exec(sql),
    // A trigger keeps the index of the texts.
    withTexts: (insert) =>
      insert
        .replace(') values', ', search_text, domain_key) values')
        .replaceAll(/('ada [^']+'), ('of [^']+')\)/g, "$1, $2, $1, 'customers.example')"),
    clear: async (table) =>
      database.exec(
        table === 'users'
          ? "delete from users; delete from user_numbers; insert into users_text (users_text) values ('delete-all')"
          : `delete from ${table}`,
      ),
    bytesOf: async () => {
      const [pages, size] = ['page_count', 'page_size'].map((name) =>
        Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]),
      ) as [number, number]
      return pages * size
    },
    indexesOf: async (table) =>
      database
        .prepare(`select name, sql from sqlite_schema where tbl_name = ? and sql is not null`)
        .all(table) as { name: string; sql: string }[],
  })
  database.close()
  await store.close()
} finally {
  rmSync(folder, { recursive: true })
}

/** The texts of users are a table of their own in PostgreSQL. */
const tablesOf = (table: string) => (table === 'users' ? ['users', 'user_texts'] : [table])

await using postgres = await startPostgres()
const url = postgres.url('template1').replace('template1', 'postgres')
await migratePostgres({ url })
const client = new pg.Client({ connectionString: url })
await client.connect()
await measure('PostgreSQL', {
  say: (sql) => client.query(sql),
  withTexts: (insert) => `with written as (${insert} returning tenant_id, id, email, name_key)
    insert into user_texts select tenant_id, id, email || '\n' || name_key from written`,
  clear: (table) => client.query(`truncate ${table} cascade`),
  bytesOf: async (table) =>
    Number(
      (
        await client.query(
          `select sum(pg_total_relation_size(name)) as bytes from unnest($1::text[]) as name`,
          [tablesOf(table)],
        )
      ).rows[0]?.bytes,
    ),
  indexesOf: async (table) =>
    (
      await client.query(
        'select indexname as name, indexdef as sql from pg_indexes where tablename = any($1)',
        [tablesOf(table)],
      )
    ).rows,
})
await client.end()
