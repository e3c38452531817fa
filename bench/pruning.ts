import { setTimeout as sleep } from 'node:timers/promises'
import { createConnections } from '../packages/service/src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../packages/service/src/store/postgres/data-store.ts'
import { createDatabase } from '../packages/service/test/support/postgres.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

/**
 * The cost of pruning an audit log of ROWS entries from DAYS days on PostgreSQL: when nothing is due, and when a day is,
 * with the latency of a writer before and meanwhile, and the vacuum afterwards.
 */
const ROWS = Number(process.env.ROWS ?? 10_000_000)
const DAYS = Number(process.env.DAYS ?? 400)
const BATCH = 500_000
const DAY_MICROS = 86_400_000_000

await using postgres = await startPostgres()
const database = await createDatabase({ port: postgres.port })
const store = createPostgresDataStore(createConnections({ url: database.url }, { queryMs: 0 }))
const step = (ROWS / DAYS / DAY_MICROS) ** -1

const indexes = await database.query(
  "select indexname as name, indexdef as definition from pg_indexes where tablename = 'audit' and indexname <> 'audit_pkey'",
)
for (const { name } of indexes) await database.query(`drop index ${name}`)
await database.query("set maintenance_work_mem = '1GB'; set synchronous_commit = off")
for (let from = 0; from < ROWS; from += BATCH) {
  await database.query(`insert into audit (at, tenant_id, actor, request_id, action, target, outcome, address)
    select n * ${step}::float8, 'ten_' || md5((n % 100)::text), 'key:' || (n % 300), md5(n::text),
      case when n % 2 = 0 then 'user.login' else 'user.update' end, 'usr_' || md5((n % 1000000)::text),
      case when n % 50 = 0 then 'refused' else 'success' end, '192.0.2.1'
    from generate_series(${from}, ${Math.min(from + BATCH, ROWS) - 1}) as n`)
}
for (const { definition } of indexes) await database.query(String(definition))
await database.query('analyze audit')
const [size] = await database.query("select pg_total_relation_size('audit') as bytes")
console.log(`${ROWS} entries, ${(Number(size?.bytes) / 1e9).toFixed(1)} GB`)

console.log(`nothing is due: ${await timeOf(() => prune(0, 0))}`)
const quiet = await write(async () => sleep(10_000))
console.log(`a writer: ${quiet}`)
let took = ''
const busy = await write(async () => {
  took = await timeOf(() => prune(DAY_MICROS, DAY_MICROS))
})
console.log(`a day is due: ${took}; a writer meanwhile: ${busy}`)
console.log(`a second day: ${await timeOf(() => prune(2 * DAY_MICROS, 2 * DAY_MICROS))}`)
console.log(`refusals of a day: ${await timeOf(() => prune(2 * DAY_MICROS, 3 * DAY_MICROS))}`)
console.log(
  `vacuum afterwards: ${await timeOf(async () => (await database.query('vacuum audit')).length)}`,
)
await store.close()

function prune(before: number, refusedBefore: number): Promise<number> {
  return store.audit.prune(before, refusedBefore)
}

async function timeOf(work: () => Promise<number>): Promise<string> {
  const begun = performance.now()
  const count = await work()
  return `${count} entries in ${(performance.now() - begun).toFixed(0)} ms`
}

/** Appends an entry every 10 ms until the work is done. */
async function write(work: () => Promise<unknown>): Promise<string> {
  const took: number[] = []
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const begun = performance.now()
      await store.audit.append({
        ...{ at: ROWS * step, tenantId: undefined, actor: 'admin', requestId: undefined },
        ...{ action: 'x', target: 'x', outcome: 'success', address: undefined },
        ...{ userAgent: undefined, applicationId: undefined },
      })
      took.push(performance.now() - begun)
      await sleep(10)
    }
  })()
  await work()
  isOver = true
  await running
  took.sort((a, b) => a - b)
  const at = (part: number) => took[Math.floor(took.length * part)]?.toFixed(1)
  return `${took.length} entries, median ${at(0.5)} ms, p99 ${at(0.99)} ms`
}
