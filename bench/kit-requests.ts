import { Redis } from 'ioredis'
import { type Child, start } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, quantile, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * What a kit costs: CPU of the application for a page that is for signed-in people, asked for by one of
 * them and by somebody else, with sessions in the process and in Redis.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7)
const REQUESTS = Number(process.env.REQUESTS ?? 3000)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16)
const ONLY = process.env.ONLY?.split(';')
const FLOOR = 'express-session'
const IN_MEMORY = ['express', FLOOR, 'latchkey', 'passport-openidconnect', 'openid-client/passport']
const KITS = {
  memory: [...IN_MEMORY, 'express-openid-connect'],
  Redis: [
    ...[FLOOR, 'latchkey', 'latchkey, node-redis'],
    ...['passport-openidconnect', 'openid-client/passport', 'express-openid-connect'],
  ],
}

interface Contestant {
  readonly name: string
  readonly child: Child
  readonly cookies: string[]
  readonly cpu: number[]
  readonly p99: number[]
  commands: number
  written: number
}

const provider = await start('provider')
const issuer = `http://127.0.0.1:${provider.port}`
const server = await startRedis()
const redis = new Redis(server.port, '127.0.0.1')

async function enter(name: string, ...args: string[]): Promise<Contestant> {
  const child = await start('kit', name, issuer, ...args)
  const visitor = createVisitor(child.port)
  const cookies: string[] = []
  if (name !== 'express') for (let n = 0; n < 100; n++) cookies.push(await visitor.logIn())
  visitor.close()
  return { name, child, cookies, cpu: [], p99: [], commands: 0, written: 0 }
}

async function measure(one: Contestant, isSignedIn: boolean): Promise<void> {
  const { child, cookies } = one
  const request = (n: number): string => {
    const cookie = isSignedIn ? `cookie: ${cookies[n % cookies.length]}\r\n` : ''
    return `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n${cookie}\r\n`
  }
  const status = isSignedIn || one.name === 'express' ? 200 : 302
  const [keys, commands, cpu] = [await redis.dbsize(), await server.commands(), await child.cpu()]
  const { port } = child
  const options = { port, connections: CONNECTIONS, requests: REQUESTS, request, status }
  const { latencies } = await load(options)
  one.cpu.push((((await child.cpu()) - cpu) / REQUESTS) * 1e6)
  one.commands = ((await server.commands()) - commands) / REQUESTS
  one.written = ((await redis.dbsize()) - keys) / REQUESTS
  one.p99.push(quantile(latencies, 0.99))
}

for (const [store, all] of Object.entries(KITS)) {
  const names = ONLY ? all.filter((name) => ONLY.includes(name)) : all
  const contestants: Contestant[] = []
  const args = store === 'Redis' ? [`${server.port}`] : []
  for (const name of names) contestants.push(await enter(name, ...args))
  for (const isSignedIn of [true, false]) {
    for (const one of contestants) one.cpu.length = one.p99.length = 0
    for (let round = -1; round < ROUNDS; round++) {
      for (const one of contestants) {
        await measure(one, isSignedIn)
        // The first round warms up.
        if (round < 0) one.cpu.length = one.p99.length = 0
      }
    }
    const what = `${isSignedIn ? 'signed in' : 'anonymous'}, ${store}`
    console.log(row(what, 'CPU µs', 'ratio', 'p99 ms', 'commands', 'keys written'))
    const floor = contestants.find(({ name }) => name === FLOOR)?.cpu ?? []
    for (const { name, cpu, p99, commands, written } of contestants) {
      const ratio = median(cpu.map((one, round) => one / (floor[round] ?? Number.NaN)))
      console.log(row(name, median(cpu), ratio, median(p99), commands, written))
    }
  }
  for (const { child } of contestants) await child.stop()
}
redis.disconnect()
await server.stop()
await provider.stop()
