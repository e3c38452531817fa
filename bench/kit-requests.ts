import { Redis } from 'ioredis'
import { type Child, start } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, quantile, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * What a kit costs: CPU of the application for a page that is for signed-in people, asked for by one of
 * them and by a visitor, with sessions in the process and in Redis, under load: for 10 s after 3 s of
 * warming up, on one connection and on 16. `REQUESTS=3000` measures bursts of so many instead, which
 * leave out much of what the collector of garbage does.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const REQUESTS = process.env.REQUESTS ? Number(process.env.REQUESTS) : undefined
const SECONDS = Number(process.env.SECONDS ?? 10)
const WARM_UP_SECONDS = 3
const CONNECTIONS = (process.env.CONNECTIONS ?? (REQUESTS ? '16' : '1,16')).split(',').map(Number)
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

async function measure(
  one: Contestant,
  isSignedIn: boolean,
  connections: number,
  length: { requests: number } | { seconds: number },
): Promise<void> {
  const { child, cookies } = one
  const request = (n: number): string => {
    const cookie = isSignedIn ? `cookie: ${cookies[n % cookies.length]}\r\n` : ''
    return `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n${cookie}\r\n`
  }
  const status = isSignedIn || one.name === 'express' ? 200 : 302
  const [keys, commands, cpu] = [await redis.dbsize(), await server.commands(), await child.cpu()]
  const { port } = child
  const { latencies } = await load({ port, connections, ...length, request, status })
  const { length: requests } = latencies
  one.cpu.push((((await child.cpu()) - cpu) / requests) * 1e6)
  one.commands = ((await server.commands()) - commands) / requests
  one.written = ((await redis.dbsize()) - keys) / requests
  one.p99.push(quantile(latencies, 0.99))
}

async function compare(
  contestants: readonly Contestant[],
  store: string,
  isSignedIn: boolean,
  connections: number,
): Promise<void> {
  const length = REQUESTS ? { requests: REQUESTS } : { seconds: SECONDS }
  const warmUp = REQUESTS ? length : { seconds: WARM_UP_SECONDS }
  for (const one of contestants) {
    await measure(one, isSignedIn, connections, warmUp)
    one.cpu.length = one.p99.length = 0
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of contestants) await measure(one, isSignedIn, connections, length)
  }
  const who = isSignedIn ? 'signed in' : 'anonymous'
  const title = `${who}, ${store}, ${connections} at a time`
  console.log(row(title, 'CPU µs', 'ratio', 'p99 ms', 'commands', 'keys written'))
  const floor = contestants.find(({ name }) => name === FLOOR)?.cpu ?? []
  for (const { name, cpu, p99, commands, written } of contestants) {
    const ratio = median(cpu.map((one, round) => one / (floor[round] ?? Number.NaN)))
    console.log(row(name, median(cpu), ratio, median(p99), commands, written))
  }
}

for (const [store, all] of Object.entries(KITS)) {
  const names = ONLY ? all.filter((name) => ONLY.includes(name)) : all
  const contestants: Contestant[] = []
  const args = store === 'Redis' ? [`${server.port}`] : []
  for (const name of names) contestants.push(await enter(name, ...args))
  for (const isSignedIn of [true, false]) {
    for (const connections of CONNECTIONS)
      await compare(contestants, store, isSignedIn, connections)
  }
  for (const { child } of contestants) await child.stop()
}
redis.disconnect()
await server.stop()
await provider.stop()
