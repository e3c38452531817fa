import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DataStore } from '../packages/service/src/store/ports.ts'
import { createConnections } from '../packages/service/src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../packages/service/src/store/postgres/data-store.ts'
import { migratePostgres } from '../packages/service/src/store/postgres/migrate.ts'
import { script } from '../packages/service/src/store/sql/sql.ts'
import { openSqliteDataStore } from '../packages/service/src/store/sqlite/data-store.ts'
import type { SearchCursor, UserQuery } from '../packages/service/src/store/user-search.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { median, row } from './parts/numbers.ts'

/** Whether a page of a search costs the same wherever it lies, among USERS users of one tenant. */

const USERS = Number(process.env.USERS ?? 1_000_000)
const TIMES = 60
const TENANT = 'ten_bench'
const PAGE = 100

// Every user has three keys that match "u"; every hundredth is disabled.
const columns = `tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
  sessions_valid_after, created_at, updated_at, name_key, family_name_key`
const values = (n: string, padded: string) => `'${TENANT}', 'usr_' || ${padded},
  'user' || ${padded} || '@x.test', 'user' || ${padded} || '@x.test',
  '{"name":"User' || ${padded} || '","family_name":"U' || ${padded} || '"}', '{}',
  case when ${n} % 100 = 0 then 1 else 0 end, null, 0, 1, 1, 'user' || ${padded}, 'u' || ${padded}`
// Nine of ten have logged in, one of a thousand by a passkey, the later the higher the id.
const logins = (n: string, padded: string) => `'${TENANT}', 'usr_' || ${padded}, ${n} + 2,
  case when ${n} % 1000 = 1 then 'passkey' else 'password' end`
const tenant = `insert into tenants (id, domain, name, settings, metadata, created_at, updated_at)
  values ('${TENANT}', 'x.test', '', '{}', '{}', 1, 1)`

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
try {
  const sqlite = await openSqliteDataStore(folder)
  const database = new DatabaseSync(join(folder, 'data.db'))
  database.exec(`${tenant};
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${USERS - 1})
    insert into users (${columns}) select ${values('n', "printf('%08d', n)")} from numbers;
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${USERS - 1})
    insert into last_logins (tenant_id, user_id, at, way)
      select ${logins('n', "printf('%08d', n)")} from numbers where n % 10 > 0`)
  database.close()
  await measure('SQLite', sqlite)
  await sqlite.close()
} finally {
  rmSync(folder, { recursive: true })
}

await using postgres = await startPostgres()
const url = postgres.url('template1').replace('template1', 'postgres')
await migratePostgres({ url })
const connections = createConnections({ url }, { queryMs: 0 })
const say = (text: string) => connections.write(script(text))
await say(tenant)
await say(`insert into users (${columns}) select ${values('n', "lpad(n::text, 8, '0')")}
  from generate_series(0, ${USERS - 1}) as n`)
await say(`insert into last_logins (tenant_id, user_id, at, way)
  select ${logins('n', "lpad(n::text, 8, '0')")} from generate_series(0, ${USERS - 1}) as n where n % 10 > 0`)
await say('vacuum analyze users')
await say('vacuum analyze last_logins')
const store = createPostgresDataStore(connections)
await measure('PostgreSQL', store)
await store.close()

async function measure(name: string, store: DataStore): Promise<void> {
  const padded = (n: number) => String(n).padStart(8, '0')
  const at = (n: number, key: string): SearchCursor => ({
    key: `${key}${padded(n)}`,
    id: `usr_${padded(n)}`,
  })
  const last = USERS - PAGE - 1
  const pages: [string, UserQuery, SearchCursor | undefined][] = [
    ['all, first page', {}, undefined],
    ['"u", first page', { search: 'u' }, undefined],
    ['"user", middle page', { search: 'user' }, at(USERS / 2, 'user')],
    ['"user", last page', { search: 'user' }, at(last, 'user')],
    [`"user${padded(USERS - 1)}"`, { search: `user${padded(USERS - 1)}` }, undefined],
    ['disabled, first page', { disabled: true }, undefined],
    ['disabled, last page', { disabled: true }, at(USERS - 100 * PAGE, 'usr_')],
    ['"user" and disabled', { search: 'user', disabled: true }, undefined],
    ['nothing found', { search: 'nobody' }, undefined],
    ['by password, first page', { lastWay: 'password' }, undefined],
    ['by passkey, first page', { lastWay: 'passkey' }, undefined],
    ['by a code: none', { lastWay: 'code' }, undefined],
    ['never logged in, first page', { lastWay: 'never' }, undefined],
    ['never logged in, last page', { lastWay: 'never' }, at(last - 900, 'usr_')],
    ['no login since the middle, first page', { notSince: USERS / 2 }, undefined],
    ['no login since the first day, first page', { notSince: 3 }, undefined],
    ['by passkey and disabled', { lastWay: 'passkey', disabled: true }, undefined],
    ['by passkey, newest first', { lastWay: 'passkey', order: 'newest' }, undefined],
    ['by passkey, latest login first', { lastWay: 'passkey', order: 'login' }, undefined],
  ]
  console.log(row(`${name}, ${USERS} users`, 'median, ms', 'p99, ms', 'found'))
  for (const [what, query, after] of pages) {
    const times: number[] = []
    let found = 0
    for (let n = -10; n < TIMES; n++) {
      const began = performance.now()
      const { items } = await store.users.search(TENANT, query, { after, limit: PAGE })
      found = items.length
      if (n >= 0) times.push(performance.now() - began)
    }
    const p99 = times.sort((a, b) => a - b)[Math.floor(TIMES * 0.99)] ?? 0
    console.log(row(what, median(times), p99, found))
  }
}
