import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Child, start } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, quantile, row } from './parts/numbers.ts'

/** The cost of a guarded request over Redis, and the size of a session there. */
const FLOOR = 'connect-redis, node-redis'
const KINDS = [
  FLOOR,
  'connect-redis, ioredis',
  'the kit, ioredis by its url',
  'the kit, node-redis',
  'express-session, our store',
]
const ROUNDS = Number(process.env.ROUNDS ?? 15)
const REQUESTS = Number(process.env.REQUESTS ?? 1000)
// Until the compiler has seen all of it, a server spends more on compiling than on serving.
const WARM_UP_ROUNDS = 8
const SESSIONS = Number(process.env.SESSIONS ?? 100_000)
const PORT = 27_311

const server = spawn('redis-server', ['--port', `${PORT}`, '--bind', '127.0.0.1', '--save', ''], {
  stdio: 'ignore',
})
const redis = new Redis(PORT, '127.0.0.1', { retryStrategy: () => 100 })
redis.on('error', () => {})

interface Measured {
  /** Of the server's process, a request. */
  readonly microseconds: number
  readonly p99: number
  readonly commands: number
  /** How often Redis found something to read: commands sent together are one trip. */
  readonly trips: number
}

async function statistics(): Promise<{ commands: number; reads: number }> {
  const info = await redis.info('all')
  const commands = [...info.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
    .filter(([, name]) => !/^(info|hello|client|ping|select|config|memory)/.test(name as string))
    .reduce((sum, [, , calls]) => sum + Number(calls), 0)
  return { commands, reads: Number(/total_reads_processed:(\d+)/.exec(info)?.[1]) }
}

async function measure(child: Child, cookies: string[], connections: number): Promise<Measured> {
  const request = (n: number): string =>
    `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\ncookie: ${cookies[n % cookies.length]}\r\n\r\n`
  const [cpu, before] = [await child.cpu(), await statistics()]
  const { latencies } = await load({ port: child.port, connections, requests: REQUESTS, request })
  const [cpuAfter, after] = [await child.cpu(), await statistics()]
  return {
    microseconds: ((cpuAfter - cpu) / REQUESTS) * 1e6,
    p99: quantile(latencies, 0.99),
    commands: (after.commands - before.commands) / REQUESTS,
    // One read is that of the command that asks for these figures.
    trips: (after.reads - before.reads - 1) / REQUESTS,
  }
}

const children = new Map<string, { child: Child; cookies: string[] }>()
for (const kind of KINDS) {
  const child = await start('sessions', kind, `${PORT}`)
  children.set(kind, { child, cookies: await child.ask('seed', { from: 0, count: 500 }) })
}

for (const connections of [16, 1]) {
  const results = new Map(KINDS.map((kind): [string, Measured[]] => [kind, []]))
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [kind, { child, cookies }] of children) {
      const measured = await measure(child, cookies, connections)
      if (round >= 0) results.get(kind)?.push(measured)
    }
  }
  const floor = results.get(FLOOR) as Measured[]
  console.log(row(`${connections} at a time`, 'CPU µs', 'ratio', 'p99 ms', 'commands', 'trips'))
  for (const [kind, all] of results) {
    const middle = (pick: (one: Measured, round: number) => number) => median(all.map(pick))
    console.log(
      row(
        kind,
        middle((one) => one.microseconds),
        // Of rounds that ran one after the other, so that the machine's moods fall out.
        middle((one, n) => one.microseconds / (floor[n]?.microseconds ?? Number.NaN)),
        middle((one) => one.p99),
        middle((one) => one.commands),
        middle((one) => one.trips),
      ),
    )
  }
}

console.log(row(`${SESSIONS} sessions`, 'bytes each', 'MB a million'))
for (const kind of ['the kit, ioredis by its url', FLOOR]) {
  await redis.flushall()
  await sleep(500)
  const memory = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  const before = await memory()
  await children.get(kind)?.child.ask('seed', { from: 1000, count: SESSIONS })
  const bytes = ((await memory()) - before) / SESSIONS
  console.log(row(kind, bytes, (bytes * 1e6) / 2 ** 20))
}

for (const { child } of children.values()) await child.stop()
redis.disconnect()
server.kill()
