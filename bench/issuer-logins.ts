import { resolve } from 'node:path'
import { type Child, start, startFile } from './parts/child.ts'
import { type BenchClient, createLogins, type Logins } from './parts/login.ts'
import { median, quantile, row } from './parts/numbers.ts'

/**
 * Logins per second and server CPU per login with the password check stubbed, beside a bare
 * oidc-provider that gets the same requests; logins with real passwords beside bare bcrypt; the
 * token endpoint meanwhile; and what tenants cost in memory. `issuer-logins.ts ../before` adds the issuer of
 * another checkout; `ONLY=logins` measures nothing else.
 */
const [, , BEFORE] = process.argv

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const FLOWS = Number(process.env.FLOWS ?? 150)
const CONCURRENCY = 8
/** Logins with one session before another one takes its place, as bare lists grow with them. */
const PER_SESSION = 5
const STORM = 16
/** Long enough that its beginning and end, when nothing is hashed, do not count. */
const STORM_LOGINS = 6 * STORM

interface Prepared {
  server: Child
  logins: Logins
}

interface Measured {
  perSecond: number
  cpuMillis: number
}

async function prepare(name: string, ...args: string[]): Promise<Prepared> {
  return enter(await start(name, ...args))
}

/** The same at another checkout of this repository, which is installed. */
async function prepareAt(checkout: string): Promise<Prepared> {
  const file = resolve(checkout, 'bench/servers/issuer.ts')
  return enter(await startFile(file, ['sqlite', 'stubbed'], ['--conditions=latchkey-source']))
}

async function enter(server: Child): Promise<Prepared> {
  const [client] = await server.ask<[BenchClient]>('clients')
  return { server, logins: createLogins(server.port, client) }
}

async function finish({ server, logins }: Prepared): Promise<void> {
  logins.close()
  await server.stop()
}

/** Runs `flow` for 0, 1 and so on, a few at a time. */
async function repeat(count: number, atOnce: number, flow: (n: number) => Promise<unknown>) {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await flow(next++)
    }),
  )
}

async function measure(server: Child, flow: (n: number) => Promise<unknown>): Promise<Measured> {
  const [cpu, began] = [await server.cpu(), performance.now()]
  await repeat(FLOWS, CONCURRENCY, flow)
  const seconds = (performance.now() - began) / 1000
  const used = (await server.cpu()) - cpu
  return { perSecond: FLOWS / seconds, cpuMillis: (used / FLOWS) * 1000 }
}

async function measureLogins(): Promise<void> {
  const servers = {
    'bare oidc-provider, memory': await prepare('bare-issuer'),
    'issuer, memory': await prepare('issuer', 'memory', 'stubbed'),
    'issuer, SQLite': await prepare('issuer', 'sqlite', 'stubbed'),
    ...(BEFORE && { 'issuer before, SQLite': await prepareAt(BEFORE) }),
  }
  const results = Object.entries(servers).map(([name, prepared]) => ({
    name,
    ...prepared,
    full: [] as Measured[],
    again: [] as Measured[],
  }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { server, logins, full, again } of results) {
      const measured = await measure(server, logins.full)
      const sessions: string[][] = []
      await repeat(FLOWS / PER_SESSION, CONCURRENCY, async () => {
        sessions.push(await logins.full())
      })
      const repeated = await measure(server, (n) =>
        logins.again(sessions[n % sessions.length] as string[]),
      )
      // The first round warms up.
      if (round > 0) full.push(measured)
      if (round > 0) again.push(repeated)
    }
  }

  const columns = ['per second', 'CPU ms', 'ratio']
  console.log(row('password check stubbed', ...columns, ...columns.map((c) => `SSO ${c}`)))
  const bare = results[0] as (typeof results)[0]
  for (const result of results) {
    const cells = (['full', 'again'] as const).flatMap((kind) => [
      median(result[kind].map((m) => m.perSecond)),
      median(result[kind].map((m) => m.cpuMillis)),
      median(result[kind].map((m, i) => m.cpuMillis / (bare[kind][i] as Measured).cpuMillis)),
    ])
    console.log(row(result.name, ...cells))
  }
  for (const result of results) await finish(result)
}

async function measureRealPasswords(): Promise<void> {
  const { server, logins } = await prepare('issuer', 'sqlite', 'real')
  await logins.full()
  const waits: number[] = []
  const rates = { bare: [] as number[], logins: [] as number[], share: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const bound = await server.ask<number>('hashesPerSecond', 3 * STORM)
    const began = performance.now()
    let isStorming = true
    const storm = repeat(STORM_LOGINS, STORM, logins.full).finally(() => {
      isStorming = false
    })
    while (isStorming) {
      const asked = performance.now()
      await logins.refused()
      waits.push(performance.now() - asked)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await storm
    const reached = STORM_LOGINS / ((performance.now() - began) / 1000)
    rates.bare.push(bound)
    rates.logins.push(reached)
    rates.share.push(reached / bound)
  }
  waits.sort((a, b) => a - b)
  console.log(row('\nreal passwords', 'hashes/s', 'logins/s', 'share'))
  console.log(
    row(`${STORM} at a time`, median(rates.bare), median(rates.logins), median(rates.share)),
  )
  console.log(row('token endpoint meanwhile, ms', quantile(waits, 0.5), quantile(waits, 0.99)))
  await finish({ server, logins })
}

async function measureMemory(): Promise<void> {
  console.log(row('\nmemory in MiB', 'RSS before', 'after', 'heap before', 'after'))
  for (const count of (process.env.TENANTS ?? '1,100,1000').split(',')) {
    for (const [name, ...args] of [['bare-issuer'], ['issuer', 'memory', 'stubbed']] as const) {
      const server = await start(name, ...args, count)
      const clients = await server.ask<BenchClient[]>('clients')
      const logins = createLogins(server.port, clients[0] as BenchClient)
      const before = [await server.ask<number>('heap'), await server.ask<number>('memory')]
      for (const { host } of clients) await logins.discover(host)
      const after = [await server.ask<number>('heap'), await server.ask<number>('memory')]
      const cells = [before[1], after[1], before[0], after[0]] as number[]
      console.log(row(`${name}, ${count} tenants`, ...cells))
      await finish({ server, logins })
    }
  }
}

await measureLogins()
if (process.env.ONLY !== 'logins') {
  await measureRealPasswords()
  await measureMemory()
}
