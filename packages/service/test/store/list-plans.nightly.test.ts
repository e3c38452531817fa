import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { limit } from '../../../../test/support/limits.ts'
import { systemClock } from '../../src/clock.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import { type MessageState, messageState } from '../../src/store/protocol-store.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import type { UserQuery } from '../../src/store/user-search.ts'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { anAudit, aTenant } from './records.ts'

const USERS = 200_000
const page = { after: undefined, limit: 50 }
const tenant = aTenant()
const T = tenant.id

const DOMAIN = "case when n > 199000 then 'late.test' else 'x.test' end"
const EMAIL = `'user' || n || '@' || ${DOMAIN}`
const NAME =
  "case when n in (199000, 199001) then 'grace hopper' when n > 170000 then 'late comer' else '' end"
const TEXT = `${EMAIL} || '\n' || ${NAME}`

/** Users 1, 199999 and 200000 are disabled and unverified; their entries are the oldest, but for an import's. */
const rows = (series: string, text: (sql: string) => string, isSqlite: boolean) => `
  insert into users (tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
      sessions_valid_after, created_at, updated_at, name_key, family_name_key ${isSqlite ? ', search_text, domain_key' : ''})
    select '${T}', 'usr_' || ${text('1000000 + n')}, ${EMAIL}, ${EMAIL}, '{}', '{}',
      case when n in (1, 199999, 200000) then 1 else 0 end,
      case when n in (1, 199999, 200000) then null else 1 end, 0, 1, 1, 'user ' || n, 'of ' || n
      ${isSqlite ? `, ${TEXT}, ${DOMAIN}` : ''}
    from ${series} where n <= ${USERS};
  ${isSqlite ? '' : `insert into user_texts select tenant_id, id, ${TEXT} from ${series} join users on id = 'usr_' || (1000000 + n)`};
  insert into last_logins (tenant_id, user_id, at, way)
    select '${T}', 'usr_' || ${text('1000000 + n')}, n, case when n in (3, 7, 150000) then 'passkey' else 'password' end
    from ${series} where n <= ${USERS} and n not in (9, 190000);
  insert into audit (at, tenant_id, actor, action, target)
    select n, '${T}', case when n < 3 then 'visitor' else 'key:import' end,
      case when n < 3 then 'login.failed' else 'user.create' end, 'usr_' || n
    from ${series} where n <= ${USERS};
  insert into applications (tenant_id, id, name, sealed_secret, login_url, logout_urls, redirect_urls, metadata,
      created_at, updated_at)
    select '${T}', 'app_' || ${text('1000000 + n')}, '', '', '', '[]', '[]', '{}', 1, 1 from ${series} where n <= 2000;
  insert into tenants (id, domain, name, settings, metadata, created_at, updated_at)
    select 'ten_x' || ${text('1000000 + n')}, n || '.test', 'Tenant ' || n, '{"domain":"x"}', '{}', 1, 1
    from ${series} where n <= 5000;`

const mails = (series: string) => `
  insert into mail (id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id, outcome)
    select 'm' || n, '${T}', n, case when n = 2 then 1 else ${Number.MAX_SAFE_INTEGER} end, 0, '', 'reset', 'usr_' || n,
      case when n = 1 then 'given_up' when n in (2, 3) then null else 'sent' end
    from ${series} where n <= 100000;`

const audit = anAudit('create')

type Asked = { text: string; values: unknown[] }

const lists: Record<string, (store: DataStore) => Promise<unknown[] | undefined>> = {
  'all users': async ({ users }) => (await users.list(T, page))?.items,
  ...Object.fromEntries(
    ['user', 'of', 'usr_', undefined].flatMap((search) =>
      [{}, { disabled: true }, { verified: false }, { disabled: true, verified: false }].map(
        (state) => [
          `users by ${search} in ${JSON.stringify(state)}`,
          async ({ users }: DataStore) => (await users.search(T, { search, ...state }, page)).items,
        ],
      ),
    ),
  ),
  ...Object.fromEntries(
    (
      [
        { search: 'ser', inside: true },
        { search: 'ce hop', inside: true },
        { search: 'ser199999@', inside: true },
        // Of the last thousand users alone.
        { search: 'ser199', inside: true },
        { search: 'ser1999', inside: true, verified: false },
        { search: 'te com', inside: true },
        { search: 'te com', inside: true, verified: true },
        // The first of them is far behind the first users in the state.
        { search: 'late.test', inside: true, verified: true },
        { search: '99999', inside: true, disabled: true },
        { search: '99999', inside: true, verified: false },
        { search: '@late' },
        { search: '@late', disabled: true },
        { order: 'newest' },
        { order: 'newest', disabled: true },
        { order: 'newest', verified: false },
        { order: 'name' },
        { order: 'name', disabled: true },
        { order: 'name', verified: false },
        { order: 'login' },
        // Three users, whose logins are among the earliest.
        { order: 'login', lastWay: 'passkey' },
        { order: 'login', lastWay: 'password' },
        { lastWay: 'passkey' },
        { order: 'newest', lastWay: 'passkey' },
        { order: 'newest', lastWay: 'password' },
        { order: 'name', lastWay: 'password' },
        // Two users, far from each other.
        { lastWay: 'never' },
        { lastWay: 'never', disabled: false },
        { order: 'newest', lastWay: 'never' },
        { search: 'user', lastWay: 'never' },
        { search: 'usr_', lastWay: 'never' },
        { notSince: 199_000 },
        { notSince: 199_000, lastWay: 'password' },
        { order: 'newest', notSince: 199_000 },
      ] satisfies UserQuery[]
    ).map((query) => [
      `users listed by ${JSON.stringify(query)}`,
      async ({ users }: DataStore) => (await users.search(T, query, page)).items,
    ]),
  ),
  'last logins': async ({ users }) => [...(await users.lastLogins(T, ['usr_1000007']))],
  ...Object.fromEntries(
    [
      {},
      { action: 'login.' },
      { actors: ['visitor'] },
      { actors: ['key:import'], action: 'user.' },
      { target: 'usr_1' },
      { user: 'usr_1', actors: ['visitor'] },
      { action: 'login.', from: 1, to: 1_000_000 },
    ].flatMap((filter) =>
      [T, undefined].map((of) => [
        `audit of ${of ? 'a tenant' : 'all'} by ${JSON.stringify(filter)}`,
        async ({ audit }: DataStore) => (await audit.search(of, filter, page)).items,
      ]),
    ),
  ),
  ...Object.fromEntries(
    [T, undefined].map((of) => [
      `counts of ${of ? 'a tenant' : 'all'} by login.`,
      async ({ audit }: DataStore) => [
        ...(await audit.count(of, { action: 'login.', from: 1, limit: 10 })),
      ],
    ]),
  ),
  ...Object.fromEntries(
    [T, undefined].map((of) => [
      `days of ${of ? 'a tenant' : 'all'} by login.`,
      async ({ audit }: DataStore) =>
        audit.countByDay(of, { action: 'login.', from: 1, limit: 10 }),
    ]),
  ),
  applications: async ({ applications }) => (await applications.list(T, page))?.items,
  tenants: async ({ tenants }) => (await tenants.list('all', page)).items,
  'tenants by a search': async ({ tenants }) => (await tenants.search('all', 'ten', page)).items,
}

/** The users of each list as the first database has them. */
const answers = new Map<string, unknown>()

/** Both databases list the same users, in the same order. */
function expectSame(name: string, items: unknown[] | undefined): void {
  if (!name.startsWith('users')) return
  const ids = items?.map((one) => (one as { id: string }).id)
  expect(ids).toEqual(answers.get(name) ?? ids)
  answers.set(name, ids)
}

/** The index of the few rows that a list is about. */
function indexOf(name: string): RegExp {
  if (/ce hop|te com|late.test|ser199"/.test(name)) return /users_text VIRTUAL|users_by_trigrams/
  if (name.includes('login","lastWay":"passkey"')) return /last_logins_by_way_and_time/
  // With a way that nearly all have used, either index has the first page.
  if (name.includes('login"')) return /last_logins_by_(way_and_)?time/
  if (name.includes('"never"')) return /never_logged_in/
  if (name.includes('"passkey"')) return /last_logins_by_way /
  if (name.includes('disabled')) return /users_disabled/
  if (name.includes('verified":false')) return /users_unverified/
  return name.includes('login.') ? /audit_by_(tenant_and_)?action/ : /./
}

const states: MessageState[] = ['given_up', 'waiting', 'captured', 'sent']

describe('with 200,000 users and entries on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-plans-'))
  const series = `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${USERS}) select n from s)`
  const asked: string[] = []
  let store: DataStore
  beforeAll(async () => {
    const { prepare } = DatabaseSync.prototype
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
      this: DatabaseSync,
      text,
    ) {
      asked.push(text)
      return prepare.call(this, text)
    })
    store = await openSqliteDataStore(folder)
    await store.tenants.insert(tenant, { ...audit, tenantId: T })
    const database = new DatabaseSync(join(folder, 'data.db'))
    database.exec(rows(series, (n) => `(${n})`, true))
    database.close()
  }, limit(300))
  afterAll(async () => {
    await store.close()
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  function planOf(file: string): string[] {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const texts = asked.filter((text) => /^\s*(select|with)/i.test(text))
    const steps = texts.flatMap((text) =>
      database
        .prepare(`explain query plan ${text}`)
        .all()
        .map(({ detail }) => String(detail)),
    )
    database.close()
    return steps
  }

  test.each(Object.keys(lists))('%s are read by an index', async (name) => {
    asked.length = 0
    // One that has not prepared the statement yet.
    const store = await openSqliteDataStore(folder)
    const items = await lists[name]?.(store)
    await store.close()
    expect(items).not.toEqual([])
    expectSame(name, items)
    const steps = planOf('data.db')
    expect(steps.join('\n')).toMatch(/SEARCH \w+ USING|SCAN tenants USING INDEX/)
    for (const step of steps)
      expect(step).not.toMatch(/^SCAN (users|audit|applications|tenants|last_logins|user_numbers)$/)
    expect(steps.join('\n')).toMatch(indexOf(name))
  })

  test.each(states)('mails that are %s are read by an index', async (state) => {
    const path = join(folder, `${state}.db`)
    const protocol = createSqliteProtocolStore({ path, clock: systemClock })
    const database = new DatabaseSync(path)
    database.exec(mails(series))
    asked.length = 0
    const found = await protocol.mail.find(T, { state, after: undefined, limit: 50 })
    expect(found.map(messageState)).toEqual(found.map(() => state))
    expect(found).toHaveLength(state === 'sent' ? 50 : 1)
    const steps = asked.flatMap((text) => database.prepare(`explain query plan ${text}`).all())
    expect(String(steps[0]?.detail)).toMatch(
      state === 'sent' ? /INDEX mail_tenant / : /INDEX mail_(given_up|unsent) /,
    )
    database.close()
    await protocol.close()
  })
})

describe('with 200,000 users and entries on PostgreSQL', async () => {
  const database = await createDatabase()
  const store = openPostgresDataStore(database.url)
  const connections = createConnections({ url: database.url })
  const asked: Asked[] = []
  beforeAll(async () => {
    await store.tenants.insert(tenant, { ...audit, tenantId: T })
    const series = `generate_series(1, ${USERS}) as n`
    for (const one of [
      ...rows(series, (n) => `(${n})`, false).split(';'),
      ...mails(series).split(';'),
    ]) {
      if (one.trim() !== '') await database.query(one)
    }
    await database.query('analyze')
    const prototype = pg.Client.prototype as unknown as { query(...all: unknown[]): unknown }
    const { query } = prototype
    vi.spyOn(prototype, 'query').mockImplementation(function (this: unknown, ...all) {
      const [config] = all as [{ text?: string; values?: unknown[] }]
      if (/^\s*(select|with)/i.test(config.text ?? '')) {
        asked.push({ text: config.text ?? '', values: config.values ?? [] })
      }
      return query.apply(this, all)
    })
  }, limit(300))
  afterAll(async () => {
    await store.close()
    await connections.close()
    vi.restoreAllMocks()
    await database.drop()
  })

  async function planOf(): Promise<string> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const plans: string[] = []
    for (const { text, values } of asked.splice(0)) {
      const { rows: steps } = await client.query({
        text: `explain (analyze, timing off) ${text}`,
        values,
      })
      plans.push(...steps.map((step) => String(step['QUERY PLAN'])))
    }
    await client.end()
    return plans.join('\n')
  }

  test.each(Object.keys(lists))('%s are read by an index', async (name) => {
    asked.length = 0
    const items = await lists[name]?.(store)
    expect(items).not.toEqual([])
    expectSame(name, items)
    const plan = await planOf()
    expect(plan).toMatch(/Index/)
    expect(plan).not.toMatch(
      /Seq Scan on (users|user_texts|audit|applications|tenants|last_logins)\b/,
    )
    expect(plan).toMatch(indexOf(name))
    // A filter that drops nearly all that an index reads is no better than a table that is read whole.
    const dropped = [...plan.matchAll(/Rows Removed by \w+: (\d+)/g)].map(([, n]) => Number(n))
    expect(Math.max(0, ...dropped)).toBeLessThan(USERS / 4)
  })

  test.each(states)('mails that are %s are read by an index', async (state) => {
    asked.length = 0
    const { mail } = createPostgresQueues(connections)
    const found = await mail.find(T, { state, after: undefined, limit: 50 })
    expect(found.map(messageState)).toEqual(found.map(() => state))
    expect(await planOf()).not.toMatch(/Seq Scan on mail/)
  })
})
