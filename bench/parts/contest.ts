import { Redis } from 'ioredis'
import { type Child, start } from './child.ts'
import { load } from './load.ts'
import { median, quantile, row } from './numbers.ts'
import { startRedis } from './redis.ts'
import { createVisitor } from './visitor.ts'

const REQUESTS = process.env.REQUESTS ? Number(process.env.REQUESTS) : undefined
const SECONDS = Number(process.env.SECONDS ?? 10)
const WARM_UP_SECONDS = Number(process.env.WARM_UP_SECONDS ?? 3)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const CONNECTIONS = (process.env.CONNECTIONS ?? (REQUESTS ? '16' : '1,16')).split(',').map(Number)
const ONLY = process.env.ONLY?.split(';')
const STORES = process.env.STORES?.split(',')

/** An application that takes part, with the cookies of a hundred users unless it knows none. */
export interface Contestant {
  readonly name: string
  readonly child: Child
  readonly cookies: readonly string[]
  /** The contestant that the ratios compare with. */
  readonly floor: string
  readonly cpu: number[]
  readonly p99: number[]
  commands: number
  written: number
}

/** A kit that is measured, and the one it is compared with. */
export interface Entry {
  readonly name: string
  readonly floor: string
  /** Every visitor may see its page. */
  readonly isOpen?: boolean
}

/** Applications whose page is asked for in turns, with a provider and a Redis. */
export interface Contest {
  /** Measures those of `entries` that `ONLY` names, or all, on the stores that `STORES` names, or all. */
  run(store: 'memory' | 'Redis', entries: readonly Entry[], visits: readonly Visit[]): Promise<void>
  close(): Promise<void>
}

type Visit = 'logged in' | 'anonymous'

/**
 * Opens a contest between applications of `bench/servers/<server>.ts`, under load for `SECONDS` after
 * `WARM_UP_SECONDS`, `ROUNDS` times in turns, on `CONNECTIONS`. `REQUESTS=3000` measures bursts of so
 * many instead, which leave out much of what the collector of garbage does.
 */
export async function openContest(server: string): Promise<Contest> {
  const provider = await start('provider')
  const issuer = `http://127.0.0.1:${provider.port}`
  const redisServer = await startRedis()
  const redis = new Redis(redisServer.port, '127.0.0.1')

  async function enter({ name, floor, isOpen }: Entry, ...args: string[]): Promise<Contestant> {
    const child = await start(server, name, issuer, ...args)
    const visitor = createVisitor(child.port)
    const cookies: string[] = []
    if (!isOpen) for (let n = 0; n < 100; n++) cookies.push(await visitor.logIn())
    visitor.close()
    return { name, floor, child, cookies, cpu: [], p99: [], commands: 0, written: 0 }
  }

  async function measure(
    one: Contestant,
    visit: Visit,
    connections: number,
    length: { requests: number } | { seconds: number },
  ): Promise<void> {
    const { child, cookies } = one
    const hasSession = visit === 'logged in' && cookies.length > 0
    const request = (n: number): string => {
      const cookie = hasSession ? `cookie: ${cookies[n % cookies.length]}\r\n` : ''
      return `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n${cookie}\r\n`
    }
    const status = hasSession || cookies.length === 0 ? 200 : 302
    const [keys, commands] = [await redis.dbsize(), await redisServer.commands()]
    const cpu = await child.cpu()
    const { port } = child
    const { latencies } = await load({ port, connections, ...length, request, status })
    const { length: requests } = latencies
    one.cpu.push((((await child.cpu()) - cpu) / requests) * 1e6)
    one.commands = ((await redisServer.commands()) - commands) / requests
    one.written = ((await redis.dbsize()) - keys) / requests
    one.p99.push(quantile(latencies, 0.99))
  }

  async function compare(
    contestants: readonly Contestant[],
    store: string,
    visit: Visit,
    connections: number,
  ): Promise<void> {
    const length = REQUESTS ? { requests: REQUESTS } : { seconds: SECONDS }
    const warmUp = REQUESTS ? length : { seconds: WARM_UP_SECONDS }
    for (const one of contestants) {
      await measure(one, visit, connections, warmUp)
      one.cpu.length = one.p99.length = 0
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of contestants) await measure(one, visit, connections, length)
    }
    const title = `${visit}, ${store}, ${connections} at a time`
    console.log(row(title, 'CPU µs', 'ratio', 'p99 ms', 'commands', 'keys written'))
    for (const { name, floor, cpu, p99, commands, written } of contestants) {
      const beside = contestants.find((one) => one.name === floor)?.cpu ?? []
      const ratio = median(cpu.map((one, round) => one / (beside[round] ?? Number.NaN)))
      console.log(row(name, median(cpu), ratio, median(p99), commands, written))
    }
  }

  return {
    async run(store, entries, visits) {
      if (STORES && !STORES.includes(store)) return
      const chosen = ONLY ? entries.filter(({ name }) => ONLY.includes(name)) : entries
      const contestants: Contestant[] = []
      const args = store === 'Redis' ? [`${redisServer.port}`] : []
      for (const entry of chosen) contestants.push(await enter(entry, ...args))
      for (const visit of visits) {
        for (const connections of CONNECTIONS) {
          await compare(contestants, store, visit, connections)
        }
      }
      for (const { child } of contestants) await child.stop()
    },
    async close() {
      redis.disconnect()
      await redisServer.stop()
      await provider.stop()
    },
  }
}
