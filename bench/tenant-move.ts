import { readFileSync } from 'node:fs'
import { createIdentityService } from '@latchkey/service'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createConnections } from '../packages/service/src/store/postgres/connections.ts'
import { copyRows } from '../packages/service/src/store/postgres/copy.ts'
import { createPostgresQueues } from '../packages/service/src/store/postgres/queue.ts'
import type { Run } from '../packages/service/src/store/postgres/statements.ts'
import type { ProtocolEntry } from '../packages/service/src/store/protocol-store.ts'
import { createRedisProtocolStore } from '../packages/service/src/store/redis/protocol-store.ts'
import { type AnyRow, once, script, sql } from '../packages/service/src/store/sql/sql.ts'
import { bcryptOf } from '../packages/service/test/support/hashes.ts'
import { createDatabase } from '../packages/service/test/support/postgres.ts'
import { startRedis } from '../packages/session-store/test/support/redis.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

/**
 * The time for which a tenant of USERS users and SESSIONS logins would be away if its rows and entries were copied to another
 * PostgreSQL and Redis, beside OTHERS logins of other tenants. Three entries are a login. Each row of the table says
 * seconds by the clock, and seconds of processor time of this process and of both databases, which other work beside it
 * changes less.
 */
const USERS = Number(process.env.USERS ?? 100_000)
const SESSIONS = Number(process.env.SESSIONS ?? 20_000)
const OTHERS = Number(process.env.OTHERS ?? 80_000)
const BATCH = 1_000

const postgres = await startPostgres()
const [from, to] = await Promise.all([createDatabase(postgres), createDatabase(postgres)])
const [redisFrom, redisTo] = await Promise.all([startRedis(), startRedis()])
const masterKey = Buffer.alloc(32, 7).toString('base64')
const clock = { now: Date.now }

/** The tables whose rows of a tenant are copied, those that are referred to first. The log stays: its seals hold its ids. */
const TABLES = [
  ...['tenants', 'applications', 'users', 'user_texts', 'last_logins', 'standings', 'credentials'],
  ...['legacy_passwords', 'signing_keys', 'connections', 'webhooks', 'held_domains', 'jobs'],
]

const source = new pg.Client({ connectionString: from.url })
await source.connect()
const tenantId = await fill()
const protocols = [redisFrom, redisTo].map(({ url }, at) => {
  const connections = createConnections({ url: (at === 0 ? from : to).url })
  const queues = createPostgresQueues(connections)
  const store = createRedisProtocolStore({ url, clock, queues })
  return { store, close: () => store.close().then(() => connections.close()) }
})
const [here, there] = protocols.map(({ store }) => store) as [Store, Store]
type Store = ReturnType<typeof createRedisProtocolStore>
await login(tenantId, SESSIONS)
await login('ten_other', OTHERS)

const connections = createConnections({ url: to.url }, { queryMs: 0 })
console.log(['step', 'objects', 'seconds', 'processor seconds'].join(' | '))
await connections.use(async (run) => {
  const pid = await backend(run)
  const ours = Number((await source.query('select pg_backend_pid() as pid')).rows[0].pid)
  const pids = [pid, ours]
  const moved = await measure('rows', pids, async () => {
    await run(script('begin'))
    let count = 0
    for (const table of TABLES) count += await copyTable(run, table)
    await run(script('commit'))
    return count
  })
  const copied = Number((await to.query('select count(*)::int as n from users'))[0]?.n)
  if (copied !== USERS || moved < USERS) throw new Error(`${copied} users of ${USERS} arrived.`)
})
const redisPids = [redisFrom, redisTo].map(({ process }) => Number(process.pid))
const found: ProtocolEntry[] = []
await measure('entries looked for', redisPids, async () => {
  let looked = 0
  const client = new Redis(redisFrom.url)
  for await (const keys of client.scanStream({ match: 'latchkey:e:*', count: BATCH })) {
    const pipeline = client.pipeline()
    for (const key of keys as string[]) pipeline.hgetall(key)
    for (const [, fields] of (await pipeline.exec()) ?? []) {
      looked++
      const entry = fields as Record<string, string>
      if (entry.tenantId !== tenantId) continue
      found.push({ ...entry, expiresAt: Number(entry.expiresAt) } as unknown as ProtocolEntry)
    }
  }
  client.disconnect()
  return looked
})
if (found.length !== SESSIONS * 3) throw new Error(`${found.length} entries were found.`)
await measure('entries written', redisPids, async () => {
  for (let at = 0; at < found.length; at += 100) {
    await Promise.all(found.slice(at, at + 100).map(there.put))
  }
  return found.length
})

for (const one of protocols) await one.close()
await connections.close()
await source.end()
await Promise.all([from.drop(), to.drop()])
for (const one of [redisFrom, redisTo, postgres]) await one[Symbol.asyncDispose]()

/** Makes the tenant by the service, and its users after the pattern of one. */
async function fill(): Promise<string> {
  const options = { database: from.url, redis: redisFrom.url, masterKey }
  await using service = await createIdentityService(options)
  const { id } = await service.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await service.admin.createApiKey({ name: 'bench', reach: [id] })
  const post = async (path: string, body: object, root = '') => {
    const answer = await service.fetch(`https://api.example/${root}v1/tenants/${id}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status >= 300) throw new Error(`${path}: ${await answer.text()}`)
  }
  await post('/applications', { name: 'Shop', redirect_urls: ['https://a.example/callback'] })
  const profile = { email: 'user-0@example.com', given_name: 'Ada', family_name: 'Lovelace' }
  const users = [{ profile, password: { alg: 'bcrypt', hash: bcryptOf[8] } }]
  await post('/users/import', { users }, 'x/')
  const named = `'usr_' || lpad(n::text, 26, '0')`
  const replaced: Record<string, Record<string, string>> = {
    users: {
      id: named,
      email: `'user-' || n || '@example.com'`,
      email_key: `'user-' || n || '@example.com'`,
    },
    user_texts: { of_user: named },
    credentials: { user_id: named, id: `'crd_' || lpad(n::text, 26, '0')` },
    last_logins: { user_id: named },
  }
  for (const [table, changes] of Object.entries(replaced)) {
    const { rows } = await source.query(
      `select column_name as name from information_schema.columns where table_name = $1`,
      [table],
    )
    const columns = rows.map(({ name }) => String(name))
    const values = columns.map((name) => changes[name] ?? `one.${name}`)
    await source.query(`insert into ${table} (${columns}) select ${values}
      from (select * from ${table} limit 1) as one, generate_series(1, ${USERS - 1}) as n`)
  }
  return id
}

/** Puts the entries of logins: a session, a grant and a refresh token, which take 1 KB each. */
async function login(tenant: string, count: number): Promise<void> {
  const expiresAt = (Date.now() + 86_400_000) * 1_000
  const payload = JSON.stringify({ filler: 'x'.repeat(600) })
  for (let at = 0; at < count; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => at + n).flatMap((n) =>
        ['Session', 'Grant', 'RefreshToken'].map((kind) =>
          here.put({
            ...{ tenantId: tenant, kind, key: `${kind}-${n}`, payload, expiresAt },
            ...{ accountId: `usr_${n}`, grantId: `grant-${n}` },
            ...(kind === 'Session' && { uid: `uid-${n}` }),
          }),
        ),
      ),
    )
  }
}

async function copyTable(run: Run, table: string): Promise<number> {
  const column = { tenants: 'id', user_texts: 'of_tenant' }[table] ?? 'tenant_id'
  let count = 0
  const name = `move_${table}`
  await source.query('begin')
  await source.query(
    `declare ${name} cursor for select * from ${table} where ${column} = '${tenantId}'`,
  )
  for (;;) {
    const { rows } = await source.query(`fetch ${BATCH} from ${name}`)
    if (rows.length === 0) break
    count += await copyRows(run, table, rows as AnyRow[])
  }
  await source.query('commit')
  return count
}

async function backend(run: Run): Promise<number> {
  const { rows } = await run(once(sql<{ pid: number }>`select pg_backend_pid() as pid`))
  return Number(rows[0]?.pid)
}

/** Processor time of another process, in seconds. Its clock ticks 100 times a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function measure(step: string, pids: number[], work: () => Promise<number>): Promise<number> {
  const others = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0)
  const [startedAt, own, before] = [performance.now(), process.cpuUsage(), others()]
  const objects = await work()
  const { user, system } = process.cpuUsage(own)
  const seconds = (performance.now() - startedAt) / 1_000
  const processor = (user + system) / 1e6 + others() - before
  console.log([step, objects, seconds.toFixed(1), processor.toFixed(1)].join(' | '))
  return objects
}
