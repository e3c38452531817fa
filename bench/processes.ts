import { createIdentityService } from '@latchkey/service'
import { startPostgres } from '../test/support/postgres-server.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'

/**
 * Four processes on PostgreSQL and Redis, without stickiness: CPU of a login beside one process, and how often the
 * directory of tenants and applications is read while users are written. ROUNDS, FLOWS (of a process),
 * WARM_UP, AT_ONCE or IN_ALL, WRITES (a second), SECONDS.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const FLOWS = Number(process.env.FLOWS ?? 60)
const WRITES = Number(process.env.WRITES ?? 500)
const SECONDS = Number(process.env.SECONDS ?? 20)
const WARM_UP = Number(process.env.WARM_UP ?? 200)
const PROCESSES = 4
/** Logins under way at a process. */
const AT_ONCE = Number(process.env.AT_ONCE ?? 8)
/** Logins under way in all, however many processes take them. Default: `AT_ONCE` at each. */
const IN_ALL = Number(process.env.IN_ALL ?? 0)
/** How many users an import writes. */
const BATCH = 25

await using postgres = await startPostgres()
const redis = await startRedis(27_313)
const where = { database: postgres.url(), redis: `redis://127.0.0.1:${redis.port}` }
const issuer = () => start('issuer', 'shared', 'stubbed', '1', '', where.database, where.redis)
// The first one makes the tables.
const first = await issuer()
const processes = [first, ...(await Promise.all(Array.from({ length: PROCESSES - 1 }, issuer)))]
const [client] = await first.ask<[BenchClient]>('clients')
const ports = processes.map(({ port }) => port)

await compareCpu()
await countReads()
await Promise.all(processes.map((one) => one.stop()))
await redis.stop()

async function run(
  logins: ReturnType<typeof createLogins>,
  atOnce: number,
  more: () => boolean,
): Promise<void> {
  const one = async () => {
    while (more()) await logins.full()
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** The same processes, each by itself and then all together: so none is warmer than the others. */
async function compareCpu(): Promise<void> {
  const sides = [
    { name: 'one process at a time', groups: ports.map((port) => [port]), cpu: [] as number[] },
    { name: `${PROCESSES} processes in turn`, groups: [ports], cpu: [] as number[] },
  ]
  const used = async () => {
    const all = await Promise.all(processes.map((one) => one.cpu()))
    return all.reduce((sum, one) => sum + one, 0) * 1_000
  }
  for (let round = -1; round < ROUNDS; round++) {
    for (const { groups, cpu } of sides) {
      const flows = (round < 0 ? WARM_UP : FLOWS) * PROCESSES
      const before = await used()
      for (const group of groups) {
        const logins = createLogins(group, client)
        let next = 0
        await run(logins, IN_ALL || AT_ONCE * group.length, () => next++ < flows / groups.length)
        logins.close()
      }
      // The first round warms up.
      if (round >= 0) cpu.push(((await used()) - before) / flows)
    }
  }
  const before = await used()
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const idle = ((await used()) - before) / 3 / PROCESSES
  console.log(row('an idle process, CPU in ms a second', idle))
  const [one] = sides
  const underWay = IN_ALL ? `${IN_ALL} in all` : `${AT_ONCE} a process`
  console.log(row(`whole logins, ${underWay} at a time`, 'CPU, ms', 'ratio'))
  for (const { name, cpu } of sides) {
    const ratio = median(cpu.map((value, i) => value / (one?.cpu[i] ?? Number.NaN)))
    console.log(row(name, median(cpu), ratio))
  }
}

async function countReads(): Promise<void> {
  // The key of the issuers, so that all are one installation.
  const masterKey = Buffer.alloc(32).toString('base64')
  await using service = await createIdentityService({ ...where, masterKey, requestsPerSecond: 1e7 })
  const { id } = await service.admin.createTenant({ domain: 'writes.example.com' })
  const { secret } = await service.admin.createApiKey({ name: 'bench', reach: [id] })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const counted = async () => {
    const all = await Promise.all(
      processes.map((one) => one.ask<{ requests: number; reads: number }>('directory')),
    )
    const sum = (name: 'requests' | 'reads') => all.reduce((total, one) => total + one[name], 0)
    return { requests: sum('requests'), reads: sum('reads') }
  }
  const logins = createLogins(ports, client)
  // Every process hears of the new tenant first, and reads what it needs again.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  let left = 4 * PROCESSES
  await run(logins, PROCESSES, () => left-- > 0)
  const before = await counted()
  const end = performance.now() + SECONDS * 1_000
  let written = 0
  let sent = 0
  async function importUsers(): Promise<void> {
    const users = Array.from({ length: BATCH }, () => ({
      profile: { email: `user-${sent++}@example.com` },
    }))
    const answer = await service.fetch(`https://api.test/x/v1/tenants/${id}/users/import`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ users }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    written += BATCH
  }
  const began = performance.now()
  async function write(): Promise<void> {
    while (performance.now() < end) {
      const due = ((performance.now() - began) / 1_000) * WRITES
      if (sent < due) await importUsers()
      else await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const writers = Array.from({ length: 4 }, write)
  await Promise.all([...writers, run(logins, 2, () => performance.now() < end)])
  const after = await counted()
  logins.close()
  const [requests, reads] = [after.requests - before.requests, after.reads - before.reads]
  const perSecond = written / ((performance.now() - began) / 1_000)
  console.log(row('the directory', 'users/s', 'requests', 'reads', 'kept, %'))
  console.log(row('beside writes', perSecond, requests, reads, 100 * (1 - reads / requests)))
}
