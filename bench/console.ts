import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { createIdentityService } from '@latchkey/service'
import pg from 'pg'
import { consoleRoutes } from '../packages/service/src/console/routes/index.ts'
import { createConnections } from '../packages/service/src/store/postgres/connections.ts'
import { script } from '../packages/service/src/store/sql/sql.ts'
import { createBrowser } from '../packages/service/test/issuer/support/browser.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { quantile, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'

/**
 * How long the service takes for each page of the management console, for a tenant with USERS users and as many
 * entries in the audit log, beside TENANTS tenants. The last page of a list is asked for beside the first. A request
 * is made TIMES times within the process, in rounds over all pages; beside it, how many statements the last one needed. `WHAT=sqlite|postgres`.
 */

const USERS = Number(process.env.USERS ?? 1_000_000)
const TENANTS = Number(process.env.TENANTS ?? 5_000)
const TIMES = Number(process.env.TIMES ?? 200)
const WARM_UP = Math.min(40, TIMES)
const what = process.env.WHAT ?? ''
// At a loopback host, operators need no second factor.
const CONSOLE = 'https://localhost'
const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000
/** Noon, about a week ago, in microseconds: entries older than the retention would be deleted during the measurement. */
const AT = (Math.floor(Date.now() / DAY_MS - 7) + 0.5) * DAY_MS * 1_000

/** How many statements the databases have been asked, those of sessions and of the heartbeat included. */
let statements = 0
for (const [prototype, names] of [
  [StatementSync.prototype, ['all', 'get', 'run']],
  [pg.Client.prototype, ['query']],
] as const) {
  const methods = prototype as unknown as Record<string, (...all: unknown[]) => unknown>
  for (const name of names) {
    const method = methods[name]
    methods[name] = function (this: unknown, ...all) {
      statements++
      return method?.apply(this, all)
    }
  }
}

const padded = (n: number) => String(n).padStart(26, '0')

type Options = Parameters<typeof createIdentityService>[0]
type Service = Awaited<ReturnType<typeof createIdentityService>>

if (what !== 'postgres') {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  try {
    const ids = await prepare({ data })
    const database = new DatabaseSync(join(data, 'data.db'))
    const numbers = (count: number) =>
      `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
    for (const sql of fill(ids.tenant, numbers, "printf('%026d', n)", true)) database.exec(sql)
    database.exec(`update counters set value = value + ${USERS} where scope = 'users:${ids.tenant}';
      update counters set value = value + ${TENANTS} where scope = 'tenants'; analyze`)
    database.close()
    await measure('SQLite', { data }, ids)
  } finally {
    rmSync(data, { recursive: true })
  }
}

if (what !== 'sqlite') {
  await using postgres = await startPostgres()
  const redis = await startRedis(27_313)
  const options = {
    database: postgres.url('template1').replace('template1', 'postgres'),
    redis: `redis://127.0.0.1:${redis.port}`,
    masterKey: Buffer.alloc(32, 7).toString('base64'),
  }
  const ids = await prepare(options)
  const connections = createConnections({ url: options.database }, { queryMs: 0 })
  const say = (text: string) => connections.write(script(text))
  const numbers = (count: number) => `with numbers (n) as (select generate_series(0, ${count - 1}))`
  for (const sql of fill(ids.tenant, numbers, "lpad(n::text, 26, '0')", false)) await say(sql)
  await say(
    `update counter_shards set n = n + ${USERS} where scope = 'users:${ids.tenant}' and shard = 0`,
  )
  await say(`update counter_shards set n = n + ${TENANTS} where scope = 'tenants' and shard = 0`)
  await say('vacuum analyze')
  await connections.close()
  await measure('PostgreSQL', options, ids)
  await redis.stop()
}

/** Parts of the paths, by their names. */
interface Ids extends Record<string, string> {
  tenant: string
}

/** A tenant with an application, and an operator who has a password. */
async function prepare(options: Options): Promise<Ids> {
  await using service = await createIdentityService({ ...options, consoleUrl: CONSOLE })
  const { admin } = service
  const { id } = await admin.createTenant({ domain: 'acme.example' })
  const shop = { name: 'Shop', redirect_urls: ['https://shop.example/callback'] }
  await admin.seed({ tenants: [{ settings: { domain: 'acme.example' }, applications: [shop] }] })
  const [made] = await admin.audit({ tenantId: id, limit: 1 })
  const { token } = await admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  const body = new URLSearchParams({ token, password: PASSWORD })
  await service.fetch(`${CONSOLE}/console/invitation`, { method: 'POST', body, redirect: 'manual' })
  return {
    tenant: id,
    application: made?.target ?? '',
    user: `usr_${padded(USERS / 2)}`,
    entry: '3',
    recipe: 'google',
  }
}

/** Users, an entry of the audit log for each, and tenants. */
function fill(
  tenant: string,
  numbers: (count: number) => string,
  n: string,
  isSqlite: boolean,
): string[] {
  // The last hundredth of the users are at a domain of their own, and one of them has a rare name.
  const domain = `case when n >= ${USERS - USERS / 100} then 'late.test' else 'x.test' end`
  const email = `'user' || ${n} || '@' || ${domain}`
  const text = `${email} || case when n = ${USERS - 7} then '\n' || 'grace hopper' else '' end`
  const more = isSqlite
    ? { names: ', search_text, domain_key', values: `, ${text}, ${domain}` }
    : { names: '', values: '' }
  return [
    `insert into users (tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
       sessions_valid_after, created_at, updated_at, name_key, family_name_key ${more.names})
     ${numbers(USERS)} select '${tenant}', 'usr_' || ${n}, ${email}, ${email},
       '{"name":"User' || ${n} || '"}', '{}', case when n % 100 = 0 then 1 else 0 end, null, 0, ${AT}, ${AT},
       'user' || ${n}, null ${more.values} from numbers`,
    ...(isSqlite
      ? []
      : [
          `insert into user_texts (of_tenant, of_user, search_text)
           ${numbers(USERS)} select '${tenant}', 'usr_' || ${n}, ${text} from numbers`,
        ]),
    `insert into last_logins (tenant_id, user_id, at)
     ${numbers(USERS)} select '${tenant}', 'usr_' || ${n}, ${AT} + n from numbers`,
    `insert into audit (at, tenant_id, actor, action, target)
     ${numbers(USERS)} select ${AT} + n, '${tenant}', 'key_' || n % 7, 'user.create', 'usr_' || ${n} from numbers`,
    `insert into tenants (id, domain, name, settings, metadata, created_at, updated_at)
     ${numbers(TENANTS)} select 'ten_1' || substr(${n}, 2), 'x' || n || '.test', 'Tenant ' || n,
       (select settings from tenants where id = '${tenant}'), '{}', ${AT}, ${AT} from numbers`,
  ]
}

async function measure(name: string, options: Options, ids: Ids): Promise<void> {
  await using service = await createIdentityService({ ...options, consoleUrl: CONSOLE })
  const browser = createBrowser({ url: CONSOLE, fetch: service.fetch as never })
  const form = await browser.get('/console')
  await browser.submit(form, { email: 'ada@example.com', password: PASSWORD })
  const cookie = browser
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const pages = consoleRoutes
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('/export'))
    .map(({ path }) => path.replace(/:(\w+)/g, (_, part: string) => ids[part] ?? 'none'))
  const base = `/console/t/${ids.tenant}`
  const nearEnd = padded(USERS - 51)
  const last = [
    `/console/tenants?after=ten_1${padded(TENANTS - 51).slice(1)}`,
    `${base}/users?search=&state=&key=usr_${nearEnd}&id=usr_${nearEnd}`,
    `${base}/users?search=user${padded(USERS - 1).slice(0, 22)}&state=`,
    `${base}/users?state=disabled`,
    `${base}/users?search=user`,
    `${base}/users?search=ace+hop`,
    `${base}/users?search=${padded(USERS - 1).slice(-7)}@x`,
    `${base}/users?search=ser${padded(USERS - 100)}&state=disabled`,
    `${base}/users?search=late`,
    `${base}/users?search=late&state=disabled`,
    `${base}/users?search=late&state=unverified`,
    `${base}/users?search=nobody+has+this`,
    `${base}/users?search=@late`,
    `${base}/users?search=@late&state=disabled`,
    `${base}/users?order=newest`,
    `${base}/users?order=newest&state=unverified`,
    `${base}/users?order=name`,
    `${base}/users?order=name&state=disabled&key=user${nearEnd}&id=usr_${nearEnd}`,
    `${base}/users?order=login`,
    `${base}/users?order=login&key=${AT + 60}&id=usr_${nearEnd}`,
    `${base}/audit?action=user.`,
    `${base}/audit?actor=key_3&action=user.create`,
    `/console/audit?actor=key_3`,
    `/console/audit?to=${new Date(AT / 1_000 + DAY_MS).toISOString().slice(0, 10)}`,
    `${base}/audit?target=${ids.user}`,
    `${base}/outbox?state=waiting`,
    `${base}/jobs?job=none`,
  ]
  console.log(row(`${name}, ${USERS} users`, 'p50, ms', 'p99, ms', 'status', 'statements'))
  const all = [...pages, ...last].map((path) => ({
    ...{ path, times: [] as number[], status: 0, statements: 0 },
  }))
  // The first rounds warm up.
  for (let round = -WARM_UP; round < TIMES; round++) {
    for (const one of all) {
      const began = performance.now()
      const before = statements
      one.status = await ask(service, one.path, cookie)
      one.statements = statements - before
      if (round >= 0) one.times.push(performance.now() - began)
    }
  }
  for (const { path, times, status, statements } of all) {
    times.sort((a, b) => a - b)
    const shown = path
      .replace(ids.tenant ?? '', '…')
      .replace(/0{5,}/g, '0…0')
      .slice(0, 60)
    console.log(
      `${row('', quantile(times, 0.5), quantile(times, 0.99), status, statements)}  ${shown}`,
    )
  }
}

async function ask(service: Service, path: string, cookie: string): Promise<number> {
  const headers = { cookie, accept: 'text/html' }
  const answer = await service.fetch(CONSOLE + path, { headers, redirect: 'manual' })
  await answer.text()
  return answer.status
}
