import { resolve } from 'node:path'
import { type Child, start, startFile } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'
import { startRedis } from './parts/redis.ts'
import { createVisitor, type Visitor } from './parts/visitor.ts'

/**
 * The cost of a change of the kit: two checkouts of this repository, each installed, in turns in
 * the same run. `kit-before-after.ts ../before .` shows the CPU of each request, and the median of
 * the ratios within rounds. Sessions are in the process, or with `STORE=redis` in a Redis that both share.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 14)
const REQUESTS = Number(process.env.REQUESTS ?? 1000)
const LOGINS = Number(process.env.LOGINS ?? 100)
const ONLY = process.env.ONLY?.split(';')
const redis = process.env.STORE === 'redis' ? await startRedis() : undefined
const WARM_UP_ROUNDS = 2
const [before = '', after = '.'] = process.argv.slice(2)

interface Contestant {
  readonly child: Child
  readonly visitor: Visitor
  readonly cookies: string[]
  cpu: number[]
}

/** Does some work at so many connections, and resolves to how often it was done. */
type Job = (of: Contestant, connections: number) => Promise<number>

const JOBS: Record<string, Job> = {
  'logged in': ({ child, cookies }, connections) =>
    ask(child, connections, 200, (n) => `cookie: ${cookies[n % cookies.length]}\r\n`),
  anonymous: ({ child }, connections) => ask(child, connections, 302, () => ''),
  async login({ visitor }, connections) {
    let left = LOGINS
    const work = async () => {
      while (left-- > 0) await visitor.logIn()
    }
    await Promise.all(Array.from({ length: connections }, work))
    return LOGINS
  },
}

async function ask(
  { port }: Child,
  connections: number,
  status: number,
  more: (n: number) => string,
): Promise<number> {
  const request = (n: number): string =>
    `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\n${more(n)}\r\n`
  return (await load({ port, connections, requests: REQUESTS, status, request })).latencies.length
}

async function enter(checkout: string, issuer: string): Promise<Contestant> {
  const server = resolve(checkout, 'bench/servers/kit.ts')
  const args = ['latchkey', issuer, ...(redis ? [`${redis.port}`] : [])]
  const child = await startFile(server, args, ['--conditions=latchkey-source'])
  const visitor = createVisitor(child.port)
  const cookies: string[] = []
  for (let n = 0; n < 50; n++) cookies.push(await visitor.logIn())
  return { child, visitor, cookies, cpu: [] }
}

const provider = await start('provider')
const issuer = `http://127.0.0.1:${provider.port}`
const [old, fresh] = [await enter(before, issuer), await enter(after, issuer)]
console.log(row('', 'before, µs', 'after, µs', 'ratio'))
for (const [name, job] of Object.entries(JOBS)) {
  if (ONLY && !ONLY.includes(name)) continue
  for (const connections of [16, 1]) {
    for (const one of [old, fresh]) one.cpu = []
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const one of round % 2 ? [old, fresh] : [fresh, old]) {
        const begun = await one.child.cpu()
        const done = await job(one, connections)
        if (round >= 0) one.cpu.push((((await one.child.cpu()) - begun) / done) * 1e6)
      }
    }
    const ratio = median(fresh.cpu.map((one, round) => one / (old.cpu[round] ?? Number.NaN)))
    console.log(row(`${name}, ${connections} at a time`, median(old.cpu), median(fresh.cpu), ratio))
  }
}
for (const { child, visitor } of [old, fresh]) {
  visitor.close()
  await child.stop()
}
await provider.stop()
await redis?.stop()
