import { type Child, start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, quantile, row } from './parts/numbers.ts'

/**
 * Logins per second and server CPU per login with the password check stubbed, beside a bare
 * oidc-provider; logins with real passwords; the token endpoint while 16 of them hash; and what
 * tenants cost in memory.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const FLOWS = Number(process.env.FLOWS ?? 150)
const CONCURRENCY = 8

interface Measured {
  perSecond: number
  cpuMillis: number
}

async function prepare(name: string, ...args: string[]) {
  const server = await start(name, ...args)
  const [client] = await server.ask<[BenchClient]>('clients')
  const logins = createLogins(server.port, client)
  const cookies = await logins.full()
  return { server, logins, cookies }
}

async function measure(server: Child, flow: () => Promise<unknown>): Promise<Measured> {
  const [cpu, began] = [await server.cpu(), performance.now()]
  let left = FLOWS
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await flow()
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const used = (await server.cpu()) - cpu
  return { perSecond: FLOWS / seconds, cpuMillis: (used / FLOWS) * 1000 }
}

const servers = {
  'bare oidc-provider, memory': await prepare('bare-issuer'),
  'issuer, memory': await prepare('issuer', 'memory', 'stubbed'),
  'issuer, SQLite': await prepare('issuer', 'sqlite', 'stubbed'),
}

console.log(row('password check stubbed', 'logins/s', 'CPU ms', 'SSO/s', 'CPU ms'))
const results = Object.entries(servers).map(([name, prepared]) => ({
  name,
  ...prepared,
  full: [] as Measured[],
  again: [] as Measured[],
}))
for (let round = 0; round <= ROUNDS; round++) {
  for (const { server, logins, cookies, full, again } of results) {
    const measured = await measure(server, logins.full)
    const repeated = await measure(server, () => logins.again(cookies))
    // The first round warms up.
    if (round > 0) full.push(measured)
    if (round > 0) again.push(repeated)
  }
}
const middle = (all: Measured[], what: keyof Measured) => median(all.map((m) => m[what]))
for (const { name, full, again } of results) {
  const columns = [full, again].flatMap((all) => [
    middle(all, 'perSecond'),
    middle(all, 'cpuMillis'),
  ])
  console.log(row(name, ...columns))
}
for (const { server, logins } of results) {
  logins.close()
  await server.stop()
}

const real = await prepare('issuer', 'sqlite', 'real')
const began = performance.now()
let isStorming = true
const storm = Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let n = 0; n < 4; n++) await real.logins.full()
  }),
).finally(() => {
  isStorming = false
})
const waits: number[] = []
while (isStorming) {
  const asked = performance.now()
  await real.logins.refused()
  waits.push(performance.now() - asked)
}
await storm
const seconds = (performance.now() - began) / 1000
waits.sort((a, b) => a - b)
console.log(row('\nreal passwords, 16 at a time', `${(64 / seconds).toFixed(1)}/s`))
console.log(row('token endpoint meanwhile, ms', quantile(waits, 0.5), quantile(waits, 0.99)))
real.logins.close()
await real.server.stop()

console.log(row('\nmemory in MiB', 'before', 'after'))
for (const count of (process.env.TENANTS ?? '1,100,1000').split(',')) {
  const server = await start('issuer', 'memory', 'stubbed', count)
  const clients = await server.ask<BenchClient[]>('clients')
  const before = await server.ask<number>('memory')
  const logins = createLogins(server.port, clients[0] as BenchClient)
  for (const { host } of clients) await logins.discover(host)
  console.log(row(`${count} tenants`, before, await server.ask<number>('memory')))
  logins.close()
  await server.stop()
}
