import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startSilentProxy } from '../../../../test/support/silent-proxy.ts'
import { StoreError } from '../../src/store/errors.ts'
import { NO_TENANT } from '../../src/store/ports.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { script } from '../../src/store/sql/sql.ts'
import {
  connect,
  createDatabase,
  openPostgresDataStore,
  type TestDatabase,
} from '../support/postgres.ts'
import { aConnection, anAudit, aTenant, aUser } from './records.ts'

const database = await createDatabase()
afterAll(() => database.drop())

/** A store on the database of this file, closed after the test. */
function aStore() {
  const store = openPostgresDataStore(database.url)
  onTestFinished(() => store.close())
  return store
}

async function aStoreWithTenant() {
  await database.empty()
  const store = aStore()
  const tenant = aTenant()
  await store.tenants.insert(tenant, anAudit('create'))
  return { store, tenant }
}

/** Ends all sessions but the one that asks. */
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('updates of one user by several processes at once are all in the last version', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const user = aUser(tenant.id, { metadata: { n: '0' } })
  await store.users.insert(user, anAudit('create'))
  const seen: number[] = []
  const increment = async (one: ReturnType<typeof aStore>) => {
    const outcome = await one.users.update(
      tenant.id,
      user.id,
      (current) => ({
        ...current,
        metadata: { n: String(Number(current.metadata.n) + 1) },
        updatedAt: current.updatedAt + 1,
      }),
      anAudit('update'),
    )
    if (outcome.kind === 'written') seen.push(outcome.record.updatedAt)
  }
  const processes = [store, aStore(), aStore()]
  await Promise.all(
    processes.map(async (one) => {
      for (let i = 0; i < 50; i++) await increment(one)
    }),
  )
  const last = await store.users.get(tenant.id, user.id)
  expect(last?.metadata.n).toBe('150')
  expect(new Set(seen).size).toBe(150)
  expect(last?.updatedAt).toBe(user.updatedAt + 150)
})

test('counters are right after creations and deletions by several processes, whose connections are cut', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const ids = Array.from({ length: 20 }, () => aUser(tenant.id).id)
  const work = async (one: ReturnType<typeof aStore>) => {
    for (let n = 0; n < 60; n++) {
      const id = ids[Math.floor(Math.random() * ids.length)] as string
      const user = aUser(tenant.id, { id, emailKey: `${id}@example.com` })
      const write = async () =>
        Math.random() < 0.6
          ? one.users.insert(user, anAudit('create'))
          : one.users.delete(tenant.id, id, anAudit('delete'))
      // One that was cut may have been made.
      await write().catch((error) => expect(error).toBeInstanceOf(StoreError))
      if (n % 20 === 10) await database.query(CUT)
    }
  }
  await Promise.all([store, aStore(), aStore()].map(work))
  const listed = await vi.waitFor(() =>
    store.users.list(tenant.id, { limit: 100, after: undefined }),
  )
  expect(listed?.total).toBe(listed?.items.length)
})

test('an entry of the audit log whose transaction ends late is not skipped', async () => {
  const { store } = await aStoreWithTenant()
  const [{ id: before } = { id: 0 }] = await store.audit.list({ limit: 1 })
  await database.query('begin')
  await database.query(
    "insert into audit (at, actor, action, target) values (1, 'admin', 'early', 'x')",
  )
  await store.audit.append(anAudit('late'))
  expect((await store.audit.list({})).map(({ action }) => action)).toContain('late')
  expect(await store.audit.after(before, 10)).toEqual([])
  await database.query('commit')
  await vi.waitFor(async () => {
    const actions = (await store.audit.after(before, 10)).map(({ action }) => action)
    expect(actions).toEqual(['early', 'late'])
  })
})

test('a transaction in another database of the server holds back no entry of the audit log', async () => {
  const { store } = await aStoreWithTenant()
  const [{ id: before } = { id: 0 }] = await store.audit.list({ limit: 1 })
  const other = await createDatabase()
  onTestFinished(() => other.drop())
  await other.query('begin')
  await other.query("insert into audit (at, actor, action, target) values (1, 'a', 'b', 'c')")
  await store.audit.append(anAudit('here'))
  const entries = await store.audit.after(before, 10)
  expect(entries.map(({ action }) => action)).toEqual(['here'])
})

test('ids sort by their bytes, as everywhere else', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const ids = ['usr_B', 'usr_Z', 'usr__', 'usr_a', 'usr_b', 'usr_é']
  for (const id of ids.toReversed()) {
    await store.users.insert(aUser(tenant.id, { id }), anAudit('create'))
  }
  const listed: string[] = []
  for (let after: string | undefined; ; after = listed.at(-1)) {
    const page = await store.users.list(tenant.id, { after, limit: 2 })
    listed.push(...(page?.items ?? []).map(({ id }) => id))
    if (!page?.more) break
  }
  expect(listed).toEqual(ids)
})

test('reads go on when PostgreSQL ends all connections, and writes with the next request', async () => {
  const { store, tenant } = await aStoreWithTenant()
  await Promise.all(Array.from({ length: 20 }, () => store.tenants.get(tenant.id)))
  await database.query(CUT)
  const read = await Promise.all(Array.from({ length: 20 }, () => store.tenants.get(tenant.id)))
  expect(read.every((one) => one?.id === tenant.id)).toBe(true)
  await vi.waitFor(() => store.check())
  expect(await store.users.insert(aUser(tenant.id), anAudit('create'))).toMatchObject({
    kind: 'written',
  })
})

test('a connection that breaks during an exclusive task does not end the process', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const ended = store.exclusively?.('task', async () => {
    await database.query(CUT)
    await vi.waitFor(() => store.check())
  })
  await expect(ended).resolves.toBe(true)
  expect((await store.tenants.get(tenant.id))?.id).toBe(tenant.id)
})

test('a change of tables that meets one in use lets others pass, and tries again', async () => {
  await using busy = await anEmptyDatabase()
  await migratePostgres({ url: busy.url })
  await busy.query('begin')
  await busy.query('lock table latchkey_migration in access exclusive mode')
  const done = migratePostgres({ url: busy.url }).catch((error: Error) => error)
  // Longer than it waits at a time.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await busy.query('rollback')
  expect(await done).not.toBeInstanceOf(Error)
})

test('a process that stops in the middle of a migration does not block that of another', async () => {
  await using stopped = await anEmptyDatabase()
  const { port, pathname } = new URL(stopped.url)
  using proxy = await startSilentProxy(Number(port))
  await stopped.query('begin')
  await stopped.query('select pg_advisory_xact_lock(716493051284)')
  const url = `postgres://latchkey@127.0.0.1:${proxy.port}${pathname}`
  const first = migratePostgres({ url }, { idleMs: 100 }).catch((error: Error) => error)
  const waits = () =>
    stopped.query(`select from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`)
  await expect.poll(waits).toHaveLength(1)
  // From here on, the first migration hears nothing and says nothing. It gets the lock.
  proxy.silence()
  await stopped.query('commit')

  expect(await migratePostgres({ url: stopped.url })).not.toEqual([])
  proxy[Symbol.dispose]()
  expect(await first).toBeInstanceOf(Error)
})

test('a connection to a server that was demoted to read-only is thrown away', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const readOnly = (value: string) =>
    database.query(`do $$ begin execute format(
      'alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`)
  await readOnly('on')
  await database.query(CUT)
  await expect(
    vi.waitFor(async () => {
      const failure = await store.users
        .insert(aUser(tenant.id), anAudit('create'))
        .catch((error: Error) => error)
      expect(failure).toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('read-only'),
      })
    }),
  ).resolves.toBeUndefined()
  await expect(store.check()).rejects.toThrow('read-only')
  await readOnly('off')
  expect(await store.users.insert(aUser(tenant.id), anAudit('create'))).toMatchObject({
    kind: 'written',
  })
  await store.check()
})

test('processes that start at once on an empty database make its tables once', async () => {
  await using empty = await anEmptyDatabase()
  const done = await Promise.all(
    Array.from({ length: 8 }, () => migratePostgres({ url: empty.url })),
  )
  expect(done.filter((names) => names.length > 0)).toHaveLength(1)
  const store = openPostgresDataStore(empty.url)
  await store.check()
  await store.close()
})

test('PostgreSQL does not compile the statements of a role that has no rights but its database, and those of others as before', async () => {
  await using empty = await anEmptyDatabase()
  const role = `latchkey_${Date.now()}`
  const name = new URL(empty.url).pathname.slice(1)
  await empty.query(`create role ${role} login`)
  onTestFinished(async () => {
    await database.query(`drop role ${role}`)
  })
  await empty.query(`alter database "${name}" owner to ${role}`)
  const url = new URL(empty.url)
  url.username = role
  const settingAt = async (address: string) => {
    const client = await connect(address)
    const { rows } = await client.query(
      "select current_user as role, current_setting('jit') as jit",
    )
    await client.end()
    return rows
  }
  expect(await settingAt(url.href)).toEqual([{ role, jit: 'on' }])
  await migratePostgres({ url: url.href })
  expect(await settingAt(url.href)).toEqual([{ role, jit: 'off' }])
  expect(await settingAt(empty.url)).toMatchObject([{ jit: 'on' }])
})

test('a newer database is served unless it says that it needs a newer service', async () => {
  await using newer = await anEmptyDatabase()
  await migratePostgres({ url: newer.url })
  await newer.query("insert into latchkey_migration values ('9999-of-the-future')")
  expect(await migratePostgres({ url: newer.url })).toEqual([])
  await newer.query('update revision set least_schema = 9999')
  await expect(migratePostgres({ url: newer.url })).rejects.toThrow('a newer version')
})

test('a changed row raises the revision only if it is cached', async () => {
  const { store, tenant } = await aStoreWithTenant()
  const revision = async () => (await database.query('select n from revision'))[0]?.n
  const before = await revision()
  await store.users.insert(aUser(tenant.id), anAudit('create'))
  await store.tenants.update(tenant.id, (same) => same, anAudit('update'))
  await store.tenants.insert(aTenant({ settings: tenant.settings }), anAudit('create'))
  await store.audit.append(anAudit('note'))
  expect(await revision()).toBe(before)
  await store.tenants.update(tenant.id, (t) => ({ ...t, name: 'New' }), anAudit('update'))
  expect(Number(await revision())).toBe(Number(before) + 1)
})

test('another process hears which tenant a write concerns, and that a release which does not say so may concern all', async () => {
  await database.empty()
  const [here, there] = [openPostgresDataStore(database.url), openPostgresDataStore(database.url)]
  onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
  const [changed, other] = [aTenant(), aTenant()]
  const audit = (tenantId?: string) => anAudit('update', { tenantId })
  for (const tenant of [changed, other]) await here.tenants.insert(tenant, audit(tenant.id))
  const heard = async () => {
    const [row] = await database.query('select n from revision')
    await vi.waitFor(() => expect(there.foreignVersion?.()).toBe(Number(row?.n)))
    const of = (tenantId: string) => there.foreignVersion?.(tenantId)
    return { changed: of(changed.id), other: of(other.id), keys: of(NO_TENANT) }
  }
  const start = await heard()

  await here.tenants.update(changed.id, (t) => ({ ...t, name: 'New' }), audit(changed.id))
  const updated = await heard()
  expect(updated).toEqual({ ...start, changed: expect.any(Number) })
  expect(updated.changed).not.toBe(start.changed)

  await here.tenants.delete(changed.id, audit(changed.id))
  const deleted = await heard()
  expect(deleted.other).toBe(start.other)
  expect(deleted.keys).not.toBe(start.keys)
  expect(deleted.changed).not.toBe(updated.changed)

  // As release 0.2 does.
  await database.query('update revision set n = n + 1')
  const unknown = await heard()
  expect(unknown.other).not.toBe(deleted.other)
  expect(unknown.keys).not.toBe(deleted.keys)
})

test('where the extension pg_trgm is not allowed, texts are found by their beginning until it is made', async () => {
  await using limited = await anEmptyDatabase()
  const role = `limited_${process.pid}`
  await limited.query(`create role ${role} login; grant all on schema public to ${role}`)
  const url = limited.url.replace('latchkey@', `${role}@`)
  const tenant = aTenant()
  const page = { after: undefined, limit: 10 }
  const open = () => createPostgresDataStore(createConnections({ url }))
  const emailsIn = async (store: ReturnType<typeof open>, search: string) => {
    const { items } = await store.users.search(tenant.id, { search, inside: true }, page)
    return items.map(({ email }) => email)
  }
  try {
    await migratePostgres({ url })
    const before = open()
    await before.tenants.insert(tenant, anAudit('create'))
    for (const email of ['ada@x.test', 'canada@x.test']) {
      await before.users.insert(aUser(tenant.id, { email, emailKey: email }), anAudit('create'))
    }
    expect(await before.users.findsInside()).toBe(false)
    expect(await emailsIn(before, 'ada@')).toEqual(['ada@x.test'])
    await before.close()

    await limited.query('create extension pg_trgm')
    await migratePostgres({ url })
    const after = open()
    expect(await after.users.findsInside()).toBe(true)
    expect(await emailsIn(after, 'ada@')).toEqual(['ada@x.test', 'canada@x.test'])
    await after.close()
  } finally {
    await limited.query(`drop owned by ${role}; drop role ${role}`)
  }
})

/** A database as release 0.2.0 left it, of which some changes are missing. */
async function anEarlierDatabase(): Promise<TestDatabase & AsyncDisposable> {
  const earlier = await anEmptyDatabase()
  await migratePostgres({ url: earlier.url })
  await earlier.query(`
    drop function latchkey_name_entries, latchkey_forget_users, latchkey_replace_legacy, latchkey_add_never, latchkey_remove_never cascade;
    drop table never_logged_in, mail_days, tenant_logos, legacy_passwords, audit_details, standings, last_logins, user_texts, sealing_keys, revision_tenants, cursors, deliveries, webhooks, job_parts, jobs,
      audit_log, restores, unconfirmed;
    alter table connections drop column own_callback;
    drop index users_by_domain, credentials_keys, mail_unsent;
    delete from latchkey_migration where name > '0011'`)
  return earlier
}

test('users of an earlier release are found by their names and by any part of them after an update in steps, which was broken off', async () => {
  await using earlier = await anEarlierDatabase()
  const { settings, id } = aTenant()
  await earlier.query(
    `insert into tenants values ('${id}', '${settings.domain}', '', '{}', '{}', 1, 1)`,
  )
  await earlier.query(`insert into users (tenant_id, id, email, email_key, profile, metadata, disabled,
      sessions_valid_after, created_at, updated_at, name_key, family_name_key)
    select '${id}', 'usr_' || n, n || '@x.test', n || '@x.test', '{"name":"Kím ' || n || '"}', '{}', 0, 0, 1, 1,
      'kím ' || n, ''
    from generate_series(1, 12000) as n`)
  await earlier.query(`insert into audit (at, tenant_id, actor, action, target)
    select n, '${id}', 'user:usr_7', 'login.succeeded', 'usr_7' from generate_series(1, 5) as n`)
  // A user who is locked holds a step up for longer than one try.
  await earlier.query(`begin; select 1 from users where id = 'usr_9999' for update`)
  const done = Promise.all([1, 2].map(() => migratePostgres({ url: earlier.url })))
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await earlier.query('rollback')
  expect((await done).flat().sort()).toEqual([
    '0014-tables',
    '0015-indexes',
    '0016-search-texts',
    '0017-last-logins',
    '0018-standings',
    '0019-audit-details',
    '0020-legacy-passwords',
    '0021-recovered-operators',
    '0022-login-ways',
    '0023-login-ways-index',
    '0024-login-ways-by-time',
    '0025-tenant-logos',
    '0026-mail-days',
    '0027-never-logged-in',
    '0028-turns-of-tenants',
    '0029-failed-messages',
    '0030-instants-in-range',
    '0031-own-callbacks',
    '0033-never-logged-in-key',
  ])

  const store = openPostgresDataStore(earlier.url)
  onTestFinished(() => store.close())
  const page = { after: undefined, limit: 10 }
  const never = await store.users.search(id, { lastWay: 'never' }, page)
  expect(never.items.map((user) => user.id)).not.toContain('usr_7')
  expect(await earlier.query('select count(*)::int as n from never_logged_in')).toEqual([
    { n: 11_999 },
  ])
  const of = async (search: string, inside: boolean) =>
    (await store.users.search(id, { search, inside }, page)).items.map((user) => user.id)
  expect(await of('kím 999', false)).toEqual(
    ['999', '9990', '9991', '9992', '9993', '9994', '9995', '9996', '9997', '9998'].map(
      (n) => `usr_${n}`,
    ),
  )
  expect(await of('IM 5999', true)).toEqual(['usr_5999'])
  expect(await of('@x.test', true)).toHaveLength(10)
  expect(await store.users.lastLogins(id, ['usr_7', 'usr_8'])).toEqual(new Map([['usr_7', 5]]))
  const rows = await earlier.query('select count(*) as n from user_texts')
  expect(Number(rows[0]?.n)).toBe(12_000)
})

test('users are written while the table of those who never logged in is filled', async () => {
  await using earlier = await anEmptyDatabase()
  await migratePostgres({ url: earlier.url })
  await earlier.query(`insert into tenants values ('ten_1', 'acme.test', '', '{}', '{}', 1, 1);
    insert into users (tenant_id, id, email, email_key, profile, metadata, disabled,
      sessions_valid_after, created_at, updated_at)
    select 'ten_1', 'usr_' || n, n, n, '{}', '{}', 0, 0, 1, 1 from generate_series(1, 3) as n;
    drop function latchkey_add_never, latchkey_remove_never cascade; drop table never_logged_in, mail_days;
    delete from latchkey_migration
      where name in ('0026-mail-days', '0027-never-logged-in', '0033-never-logged-in-key')`)
  const other = await connect(earlier.url)
  onTestFinished(() => other.end())
  await other.query('begin; lock table last_logins')
  const done = migratePostgres({ url: earlier.url })
  const fills = `select 1 from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like 'insert into never_logged_in%'`
  await vi.waitFor(async () => expect(await earlier.query(fills)).toHaveLength(1))
  await earlier.query(`set lock_timeout = 500; update users set email = 'new' where id = 'usr_1';
    update tenants set updated_at = 2`)
  await other.query('commit')
  expect(await done).toEqual(['0026-mail-days', '0027-never-logged-in', '0033-never-logged-in-key'])
  await earlier.query(`delete from users where id = 'usr_3'`)
  const left = await earlier.query('select user_id from never_logged_in order by user_id')
  expect(left).toEqual([{ user_id: 'usr_1' }, { user_id: 'usr_2' }])
})

test('rows of users who were deleted while that table was filled are removed', async () => {
  await using earlier = await anEmptyDatabase()
  await migratePostgres({ url: earlier.url })
  const isValid = () =>
    earlier.query(`select convalidated from pg_constraint
      where conname = 'never_logged_in_tenant_id_user_id_fkey'`)
  const definition = `foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade`
  await earlier.query(`
    alter table never_logged_in drop constraint never_logged_in_tenant_id_user_id_fkey;
    insert into never_logged_in values ('ten_1', 'usr_gone');
    alter table never_logged_in add ${definition} not valid;
    delete from latchkey_migration where name = '0033-never-logged-in-key'`)
  expect(await isValid()).toEqual([{ convalidated: false }])
  await migratePostgres({ url: earlier.url })
  expect(await isValid()).toEqual([{ convalidated: true }])
  expect(await earlier.query('select user_id from never_logged_in')).toEqual([])
})

test('of passkeys that several users of an earlier release have, the first one stays, and no other user gets it', async () => {
  await using earlier = await anEarlierDatabase()
  await earlier.query(`insert into tenants values ('ten_1', 'acme.test', '', '{}', '{}', 1, 1)`)
  for (const n of [1, 2]) {
    await earlier.query(`insert into users (tenant_id, id, email, email_key, profile, metadata, disabled,
        sessions_valid_after, created_at, updated_at)
      values ('ten_1', 'usr_${n}', '${n}', '${n}', '{}', '{}', 0, 0, 1, 1);
      insert into credentials (tenant_id, user_id, id, type, secret, metadata, disabled, created_at,
        updated_at, state, rev)
      values ('ten_1', 'usr_${n}', 'key', 'HardwareCredential', '{}', '{}', 0, ${n}, 1, '{}', 1)`)
  }
  await migratePostgres({ url: earlier.url })
  expect(await earlier.query('select user_id from credentials')).toEqual([{ user_id: 'usr_1' }])
  await expect(
    earlier.query(`insert into credentials (tenant_id, user_id, id, type, secret, metadata, disabled,
      created_at, updated_at, state, rev)
      values ('ten_1', 'usr_2', 'key', 'HardwareCredential', '{}', '{}', 0, 3, 1, '{}', 1)`),
  ).rejects.toThrow('credentials_keys')
})

test('a verification before 1970 of an earlier release gets the time at which the user was created', async () => {
  await using earlier = await anEarlierDatabase()
  await earlier.query(`insert into tenants values ('ten_1', 'acme.test', '', '{}', '{}', 1, 1);
    insert into users (tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
      sessions_valid_after, created_at, updated_at)
    values ('ten_1', 'usr_1', '1', '1', '{}', '{}', 0, -62135596800000000, 0, 7, 8),
      ('ten_1', 'usr_2', '2', '2', '{}', '{}', 0, null, 0, 7, 8),
      ('ten_1', 'usr_3', '3', '3', '{}', '{}', 0, 6, 0, 7, 8)`)
  await migratePostgres({ url: earlier.url })
  expect(await earlier.query('select verified_at::int as at from users order by id')).toEqual([
    { at: 7 },
    { at: null },
    { at: 6 },
  ])
})

test('a connection that a process of an earlier release adds or changes beside this one keeps the redirect URI it has', async () => {
  await using earlier = await anEarlierDatabase()
  const columns = `(tenant_id, id, name, recipe, issuer, client_id, sealed_secret, scopes, trust_email, allow_signup,
    enabled, created_at, updated_at)`
  const row = (id: string) =>
    `('ten_1', '${id}', '${id}', 'oidc', 'https://a.test', 'a', '', '["openid"]', 0, 1, 1, 1, 1)`
  await earlier.query(`insert into tenants values ('ten_1', 'acme.test', '', '{}', '{}', 1, 1);
    insert into connections ${columns} values ${row('con_1')}`)
  await migratePostgres({ url: earlier.url })
  const store = openPostgresDataStore(earlier.url)
  onTestFinished(() => store.close())
  const own = aConnection('ten_1', { id: 'con_3', ownCallback: true })
  await store.connections.insert(own, anAudit('create'))

  await earlier.query(`insert into connections ${columns} values ${row('con_2')};
    update connections set name = name || ' changed'`)

  const listed = await store.connections.list('ten_1')
  expect(listed.map(({ id, ownCallback }) => [id, ownCallback])).toEqual([
    ['con_1', false],
    ['con_2', false],
    ['con_3', true],
  ])
})

test('a database of before release 0.2.0 is refused with the remedy', async () => {
  await using older = await anEmptyDatabase()
  await migratePostgres({ url: older.url })
  await older.query(`delete from latchkey_migration where name > '0009'`)
  await expect(migratePostgres({ url: older.url })).rejects.toThrow('Open it with 0.2.0 once')
})

test.each([
  {
    table: 'the audit log',
    name: '0015-indexes',
    indexes: ['audit_by_action', 'audit_by_actor', 'mail_unsent'],
    write: `insert into audit (at, actor, action, target) values (1, 'admin', 'x', 'y')`,
    brokenOff: 'audit_by_action on audit (actor)',
  },
  {
    table: 'users',
    name: '0015-indexes',
    indexes: ['users_by_domain', 'users_disabled_by_domain', 'users_unverified_by_domain'],
    write: `insert into users (tenant_id, id, email, email_key, profile, metadata, disabled,
      sessions_valid_after, created_at, updated_at)
      select tenants.id, 'usr_' || random(), '', random(), '{}', '{}', 0, 0, 1, 1 from tenants`,
    brokenOff: 'users_by_domain on users (tenant_id)',
  },
  {
    table: 'credentials',
    name: '0015-indexes',
    indexes: ['credentials_keys', 'credentials_costly', 'credentials_social'],
    write: `with added as (insert into users (tenant_id, id, email, email_key, profile, metadata, disabled,
        sessions_valid_after, created_at, updated_at)
        select tenants.id, 'usr_' || random(), '', random(), '{}', '{}', 0, 0, 1, 1 from tenants
        returning tenant_id, id)
      insert into credentials (tenant_id, user_id, id, type, secret, metadata, disabled, created_at,
        updated_at, state, rev)
      select tenant_id, id, 'key' || random(), 'HardwareCredential', '{}', '{}', 0, 1, 1, '{}', 1 from added`,
    brokenOff: 'credentials_keys on credentials (tenant_id)',
  },
])(
  'indexes of $table are made while it is written, and one that was broken off is made again',
  async ({ name, indexes, write, brokenOff }) => {
    await using earlier = await anEmptyDatabase()
    await migratePostgres({ url: earlier.url })
    await earlier.query(`insert into tenants values ('ten_1', 'acme.test', '', '{}', '{}', 1, 1);
      delete from latchkey_migration where name = '${name}'; drop index ${indexes.join()}`)
    for (const _ of [1, 2]) await earlier.query(write)
    await expect(earlier.query(`create unique index concurrently ${brokenOff}`)).rejects.toThrow(
      'could not create',
    )
    const other = await connect(earlier.url)
    await other.query(`begin; ${write}`)

    let isDone = false
    const done = Promise.all([1, 2].map(() => migratePostgres({ url: earlier.url }))).then(
      (names) => {
        isDone = true
        return names
      },
    )
    const waits = `select 1 from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like '%index concurrently%'`
    await vi.waitFor(async () => expect(await earlier.query(waits)).toHaveLength(1))
    await earlier.query(`set lock_timeout = 500; ${write}`)
    expect(isDone).toBe(false)
    await other.query('commit')
    await other.end()

    expect((await done).flat()).toEqual([name])
    const invalid = await earlier.query('select indexrelid from pg_index where not indisvalid')
    const made = await earlier.query(
      `select 1 from pg_class where relname in (${indexes.map((index) => `'${index}'`)})`,
    )
    expect([invalid.length, made.length]).toEqual([0, 3])
  },
  60_000,
)

async function anEmptyDatabase(): Promise<TestDatabase & AsyncDisposable> {
  const empty = await createDatabase({ migrate: false })
  return { ...empty, [Symbol.asyncDispose]: () => empty.drop() }
}

test('a refused request waits for no other entry of its key, and trimming passes entries that are locked', async () => {
  const { store } = await aStoreWithTenant()
  const refuse = (at: number) =>
    store.audit.append(anAudit('x', { actor: 'key:1', at, outcome: 'refused' }))
  for (const at of [1, 2, 3, 4]) await refuse(at)
  const other = await connect(database.url)
  onTestFinished(() => other.end())
  await other.query('begin; select id from audit where at = 1 for update')

  await refuse(5)
  expect(await store.audit.trimRefused('key:1', 2)).toBe(2)
  const refused = (await store.audit.list({})).filter(({ outcome }) => outcome === 'refused')
  expect(refused.map(({ at }) => at)).toEqual([5, 4, 1])

  await other.query('rollback')
  expect(await store.audit.trimRefused('key:1', 2)).toBe(1)
})

test('more exclusive tasks than connections run at once, and each of them writes', async () => {
  const { store } = await aStoreWithTenant()
  const tasks = Array.from({ length: 30 }, (_, n) => `task-${n}`)

  const ran = await Promise.all(
    tasks.map((task) => store.exclusively?.(task, () => store.audit.append(anAudit(task)))),
  )

  expect(ran).toEqual(tasks.map(() => true))
  const noted = (await store.audit.list({})).map(({ action }) => action)
  expect(noted).toEqual(expect.arrayContaining(tasks))
})

test('a row of another process that is locked makes no process unready', async () => {
  const { store } = await aStoreWithTenant()
  const other = await connect(database.url)
  onTestFinished(() => other.end())
  await other.query('begin; update revision set n = n + 1')

  await store.check()

  await other.query('rollback')
})

test('reads and writes work again after all connections to PostgreSQL went silent', async () => {
  const { tenant } = await aStoreWithTenant()
  const { port } = new URL(database.url)
  using proxy = await startSilentProxy(Number(port))
  const store = openPostgresDataStore(database.url.replace(`:${port}/`, `:${proxy.port}/`))
  onTestFinished(() => store.close())
  await Promise.all(
    Array.from({ length: 8 }, () => store.users.insert(aUser(tenant.id), anAudit('create'))),
  )
  expect(await store.tenants.get(tenant.id)).toEqual(tenant)
  proxy.silence()

  // A statement itself waits for ten.
  await vi.waitFor(() => store.check())
  expect(await store.tenants.get(tenant.id)).toEqual(tenant)
  const outcome = await store.users.insert(aUser(tenant.id), anAudit('create'))
  expect(outcome.kind).toBe('written')
})

test('reads in progress are answered by new connections after theirs went silent', async () => {
  const { tenant } = await aStoreWithTenant()
  const { port } = new URL(database.url)
  using proxy = await startSilentProxy(Number(port))
  const url = database.url.replace(`:${port}/`, `:${proxy.port}/`)
  // A statement itself waits forever.
  const store = createPostgresDataStore(createConnections({ url }, { queryMs: 0 }))
  onTestFinished(() => void store.close())
  const readAll = () => Promise.all(Array.from({ length: 20 }, () => store.tenants.get(tenant.id)))
  await readAll()
  proxy.silence()

  expect(await readAll()).toEqual(Array.from({ length: 20 }, () => tenant))
})

test('a read that takes seven seconds is answered, although the heartbeat has less time', async () => {
  const connections = createConnections({ url: database.url })
  const store = createPostgresDataStore(connections)
  onTestFinished(() => store.close())
  const slow = Array.from({ length: 4 }, () =>
    connections.read(script('select 1 as n from pg_sleep(7)')),
  )
  for (const { rows } of await Promise.all(slow)) expect(rows).toEqual([{ n: 1 }])
})

test('a process opens as many connections as the guide on scaling says, and no more', async () => {
  const guide = readFileSync(
    join(import.meta.dirname, '../../../../docs/guides/scaling.md'),
    'utf8',
  )
  const [, most] = /Each process opens at most (\d+)\s+\[?connections/.exec(guide) ?? []
  const connections = createConnections({ url: database.url }, { queryMs: 0 })
  await database.query('select pg_advisory_lock(77)')
  const waiting = script('select pg_advisory_lock_shared(77), pg_advisory_unlock_shared(77)')
  await connections.heartbeat(script('select 1'))
  // Those for which no connection is left give up.
  const ended = Promise.allSettled(
    Array.from({ length: 40 }, () => [
      connections.read(waiting),
      connections.write(waiting),
      connections.useForLock((run) => run(waiting)),
    ]).flat(),
  )
  const count = async () => {
    const rows = await database.query(`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'latchkey'`)
    return rows[0]?.n
  }
  try {
    await expect.poll(count).toBe(Number(most))
  } finally {
    await database.query('select pg_advisory_unlock(77)')
    await ended
  }
  expect(await count()).toBeLessThanOrEqual(Number(most))
  await connections.close()
})
