import { resolve } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { createConnections } from '../packages/service/src/store/postgres/connections.ts'
import { script } from '../packages/service/src/store/sql/sql.ts'
import { createDatabase } from '../packages/service/test/support/postgres.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { type Child, start, startFile } from './parts/child.ts'
import { userId } from './parts/folder.ts'
import { get, load, post } from './parts/load.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'

/**
 * The service on PostgreSQL and Redis: logins beside SQLite in the same run; creates, imports and pages of a long
 * list beside bare statements. `WHAT=logins|api`, ROUNDS, FLOWS, USERS. PostgreSQL waits for no disk here.
 * `shared.ts ../before` adds the logins of another checkout of this repository, which is installed.
 */
const [, , BEFORE] = process.argv

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const FLOWS = Number(process.env.FLOWS ?? 100)
const USERS = Number(process.env.USERS ?? 1_000_000)
/** Enough of them that a round which warms up leaves compiled code behind. */
const PAGES = 400
const what = process.env.WHAT ?? ''
const HASH = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

await using postgres = await startPostgres()
const redis = await startRedis(27_312)
const redisUrl = `redis://127.0.0.1:${redis.port}`
if (what !== 'api') await logins()
if (what !== 'logins') await api()
await redis.stop()

async function logins(): Promise<void> {
  const sharing = async () => {
    const { url } = await createDatabase({ port: postgres.port })
    return ['shared', 'stubbed', '1', '', url, redisUrl]
  }
  const before = BEFORE && resolve(BEFORE, 'bench/servers/issuer.ts')
  const servers = {
    SQLite: await start('issuer', 'sqlite', 'stubbed'),
    'PostgreSQL and Redis': await start('issuer', ...(await sharing())),
    ...(before && {
      'the same before': await startFile(before, await sharing(), ['--conditions=latchkey-source']),
    }),
  }
  const all = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const [client] = await server.ask<[BenchClient]>('clients')
      return {
        name,
        server,
        logins: createLogins(server.port, client),
        cpu: [] as number[],
        rate: [] as number[],
      }
    }),
  )
  for (let round = 0; round <= ROUNDS; round++) {
    // In turns, so that none is always measured after the same one.
    const inTurn = all.map((_, i) => all[(i + round) % all.length] as (typeof all)[0])
    for (const { server, logins, cpu, rate } of inTurn) {
      const [before, began] = [await server.cpu(), performance.now()]
      let next = 0
      const one = async () => {
        while (next++ < FLOWS) await logins.full()
      }
      await Promise.all(Array.from({ length: 8 }, one))
      // The first round warms up.
      if (round === 0) continue
      rate.push(FLOWS / ((performance.now() - began) / 1_000))
      cpu.push((((await server.cpu()) - before) / FLOWS) * 1_000)
    }
  }
  // By rounds, as the machine's speed changes from one to the next.
  const ratio = (cpu: number[], to: number) =>
    median(cpu.map((value, i) => value / (all[to]?.cpu[i] ?? Number.NaN)))
  console.log(row('whole logins, 8 at a time', 'per second', 'CPU, ms', 'to SQLite', 'to shared'))
  for (const { name, server, logins, cpu, rate } of all) {
    console.log(row(name, median(rate), median(cpu), ratio(cpu, 0), ratio(cpu, 1)))
    logins.close()
    await server.stop()
  }
}

async function api(): Promise<void> {
  const options = {
    database: postgres.url('template1').replace('template1', 'postgres'),
    redis: redisUrl,
    masterKey: Buffer.alloc(32, 7).toString('base64'),
  }
  const { tenantId, headers } = await prepare(options)
  const server = await start('service', JSON.stringify(options))
  const bare = await start('bare-postgres', options.database, tenantId)
  const users = `/v1/tenants/${tenantId}/users`
  let made = 0
  const profile = () => ({ name: 'Ada Lovelace', email: `new-${made++}@example.com` })
  const by = (connections: number, requests: number, each: number, request: () => string) => ({
    ...{ server, count: requests * each },
    run: async () => (await load({ port: server.port, connections, requests, request })).seconds,
  })
  const floor = (command: string, count: number, argument: unknown) => ({
    ...{ server: bare, count },
    run: () => bare.ask<number>(command, argument),
  })
  await compare('create user, 16 at a time', {
    ours: by(16, 800, 1, () => post(users, { profile: profile() }, headers)),
    bare: floor('create', 800, 800),
  })
  await compare('import, 100 a request, 4 at a time', {
    ours: by(4, 20, 100, () => {
      const password = { alg: 'bcrypt', hash: HASH }
      const body = Array.from({ length: 100 }, () => ({ profile: profile(), password }))
      return post(`/x${users}/import`, { users: body }, headers)
    }),
    bare: floor('import', 2_000, 20),
  })
  for (const [name, n] of Object.entries({ first: -1, middle: USERS / 2, last: USERS - 101 })) {
    const path = n < 0 ? users : `${users}?after=${userId(n)}`
    await compare(`${name} page of 100 of ${USERS}`, {
      ours: by(1, PAGES, 1, () => get(path, headers)),
      bare: floor('page', PAGES, { count: PAGES, after: n < 0 ? '' : userId(n) }),
    })
  }
  await Promise.all([server.stop(), bare.stop()])
}

interface Contestant {
  server: Child
  /** How many objects one run is about. */
  count: number
  /** Answers with seconds. */
  run(): Promise<number>
}

/** Runs ours and the bare statements in turns; the ratios are those within rounds. */
async function compare(name: string, both: { ours: Contestant; bare: Contestant }): Promise<void> {
  const rates = { ours: [] as number[], bare: [] as number[] }
  const cpus = { ours: [] as number[], bare: [] as number[] }
  for (let round = -1; round < ROUNDS; round++) {
    for (const who of ['ours', 'bare'] as const) {
      const { server, count, run } = both[who]
      const before = await server.cpu()
      const seconds = await run()
      const cpu = (await server.cpu()) - before
      // The first round warms up.
      if (round < 0) continue
      rates[who].push(count / seconds)
      cpus[who].push((cpu / count) * 1e6)
    }
  }
  const ratio = ({ ours, bare }: typeof rates) =>
    median(ours.map((value, i) => value / (bare[i] ?? Number.NaN)))
  console.log(row(name, 'per second', 'CPU, µs'))
  for (const who of ['ours', 'bare'] as const) {
    console.log(row(`  ${who}`, median(rates[who]), median(cpus[who])))
  }
  console.log(row('  ratio', ratio(rates), ratio(cpus)))
}

/** A tenant with so many users, written straight into the database. */
async function prepare(options: { database: string; redis: string; masterKey: string }) {
  await using service = await createIdentityService(options)
  const { id } = await service.admin.createTenant({ domain: 'acme.example.com' })
  const { secret } = await service.admin.createApiKey({ name: 'bench', reach: 'all' })
  const connections = createConnections({ url: options.database }, { queryMs: 0 })
  const say = (text: string) => connections.write(script(text))
  await say(`insert into users (tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
      sessions_valid_after, created_at, updated_at)
    select '${id}', 'usr_' || lpad(n::text, 26, '0'), 'user-' || n || '@example.com', 'user-' || n || '@example.com',
      '{"name":"Ada Lovelace","given_name":"Ada","family_name":"Lovelace"}', '{"crm":"12345","plan":"gold"}', 0, null,
      0, 1800000000000000, 1800000000000000 from generate_series(0, ${USERS - 1}) as n`)
  await say(`update counter_shards set n = n + ${USERS} where scope = 'users:${id}' and shard = 0`)
  await say('vacuum analyze users')
  await connections.close()
  return { tenantId: id, headers: { authorization: `Bearer ${secret}` } }
}
