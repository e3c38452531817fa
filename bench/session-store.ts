import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Child, start } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, quantile, row } from './parts/numbers.ts'

/** What does a request of a signed-in person cost over Redis, and what does a session weigh there? */
const KINDS = ['latchkey', 'latchkey-node-redis', 'connect-redis', 'connect-redis-ioredis']
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const REQUESTS = Number(process.env.REQUESTS ?? 3000)
const SESSIONS = Number(process.env.SESSIONS ?? 100_000)
const PORT = 27_311

const server = spawn('redis-server', ['--port', `${PORT}`, '--bind', '127.0.0.1', '--save', ''], {
  stdio: 'ignore',
})
const redis = new Redis(PORT, '127.0.0.1', { retryStrategy: () => 100 })
redis.on('error', () => {})

interface Measured {
  readonly cpu: number[]
  readonly p99: number[]
  commands: number
}

async function commandsSoFar(): Promise<number> {
  const info = await redis.info('commandstats')
  return [...info.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
    .filter(([, name]) => !/^(info|hello|client|ping|select|config|memory)/.test(name as string))
    .reduce((sum, [, , calls]) => sum + Number(calls), 0)
}

async function measure(child: Child, cookies: string[], into: Measured, connections: number) {
  const request = (n: number): string =>
    `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\ncookie: ${cookies[n % cookies.length]}\r\n\r\n`
  const [cpu, commands] = [await child.cpu(), await commandsSoFar()]
  const { latencies } = await load({ port: child.port, connections, requests: REQUESTS, request })
  into.cpu.push((((await child.cpu()) - cpu) / REQUESTS) * 1e6)
  into.commands = ((await commandsSoFar()) - commands) / REQUESTS
  into.p99.push(quantile(latencies, 0.99))
}

const children = new Map<string, { child: Child; cookies: string[] }>()
for (const kind of KINDS) {
  const child = await start('sessions', kind, `${PORT}`)
  children.set(kind, { child, cookies: await child.ask('seed', { from: 0, count: 500 }) })
}

for (const connections of [16, 1]) {
  const results = new Map(
    KINDS.map((kind): [string, Measured] => [kind, { cpu: [], p99: [], commands: 0 }]),
  )
  for (let round = -1; round < ROUNDS; round++) {
    for (const [kind, { child, cookies }] of children) {
      const warmUp: Measured = { cpu: [], p99: [], commands: 0 }
      await measure(
        child,
        cookies,
        round < 0 ? warmUp : (results.get(kind) as Measured),
        connections,
      )
    }
  }
  console.log(row(`${connections} at a time`, 'CPU µs', 'ratio', 'p99 ms', 'commands'))
  const floor = median(results.get('connect-redis')?.cpu ?? [])
  for (const [kind, { cpu, p99, commands }] of results) {
    console.log(row(kind, median(cpu), median(cpu) / floor, median(p99), commands))
  }
}

console.log(row(`${SESSIONS} sessions`, 'bytes each', 'MB a million'))
for (const kind of ['latchkey', 'connect-redis']) {
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
