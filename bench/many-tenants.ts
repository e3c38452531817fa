import { startPostgres } from '../test/support/postgres-server.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'

/**
 * The memory and CPU of one process that many tenants use in turn, on PostgreSQL and Redis, with the password check
 * stubbed. A process keeps the providers of the 500 tenants that were used last, so that in turns each is made again.
 * TENANTS; LOGINS at one tenant, to compare with.
 */
const TENANTS = Number(process.env.TENANTS ?? 2_000)
const LOGINS = Number(process.env.LOGINS ?? 500)
const AT_ONCE = 8
const IDLE_MS = 10_000

await using postgres = await startPostgres()
const redis = await startRedis(27_313)
const server = await start(
  'issuer',
  ...['shared', 'stubbed', String(TENANTS), ''],
  ...[postgres.url(), `redis://127.0.0.1:${redis.port}`, 'users'],
)
const clients = await server.ask<BenchClient[]>('clients')

const one = () => clients[0] as BenchClient
const inTurn = (n: number) => clients[n % TENANTS] as BenchClient

console.log(row('', 'CPU, ms', 'reads', 'RSS, MiB', 'heap, MiB'))
for (let n = 0; n < 2; n++) await measure(`one tenant, ${LOGINS} logins`, LOGINS, one)
await measure(`each of ${TENANTS} tenants, first`, TENANTS, inTurn)
await measure(`each of ${TENANTS} tenants, again`, TENANTS, inTurn)
await measure(`one tenant, ${LOGINS} logins`, LOGINS, one)
const before = await server.cpu()
await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
const idle = (((await server.cpu()) - before) / IDLE_MS) * 1e6
console.log(row('afterwards, without requests', `${idle.toFixed(1)} ms/s`))
await server.stop()
await redis.stop()

/** Prints the CPU and the reads of tenants and applications for each login, and the memory afterwards. */
async function measure(
  what: string,
  count: number,
  clientOf: (n: number) => BenchClient,
): Promise<void> {
  const [cpu, { reads }] = [await server.cpu(), await directory()]
  let next = 0
  const work = async () => {
    while (next < count) {
      const logins = createLogins(server.port, clientOf(next++))
      await logins.full()
      logins.close()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const used = (await server.cpu()) - cpu
  const read = (await directory()).reads - reads
  const memory = [await server.ask<number>('memory'), await server.ask<number>('heap')]
  console.log(row(what, (used / count) * 1_000, read / count, ...memory))
}

function directory(): Promise<{ reads: number }> {
  return server.ask('directory')
}
