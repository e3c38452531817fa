import { type Child, start } from './parts/child.ts'
import { get, load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * The cost of a refresh: CPU of the application for a page that asks for new tokens with the refresh token of the session,
 * sessions in the process. The provider uses each refresh token once, and gives an ID token.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const REQUESTS = Number(process.env.REQUESTS ?? 1_000)
const CONNECTIONS = (process.env.CONNECTIONS ?? '1,16').split(',').map(Number)
const USERS = 100
const KITS = ['bare, openid-client', 'express-openid-connect', 'latchkey']

process.env.SCOPE = 'openid profile email offline_access'
const provider = await start('provider')
const contestants: { name: string; child: Child; cookies: string[]; cpu: number[] }[] = []
for (const name of process.env.ONLY?.split(';') ?? KITS) {
  const child = await start('kit', name, `http://127.0.0.1:${provider.port}`)
  const visitor = createVisitor(child.port)
  const cookies: string[] = []
  for (let n = 0; n < USERS; n++) cookies.push(await visitor.logIn())
  visitor.close()
  contestants.push({ name, child, cookies, cpu: [] })
}
for (const connections of CONNECTIONS) {
  for (const one of contestants) one.cpu.length = 0
  for (let round = -1; round < ROUNDS; round++) {
    for (const { child, cookies, cpu } of contestants) {
      const request = (n: number) =>
        get('/fresh', { cookie: cookies[n % USERS] ?? '' }, '127.0.0.1')
      const before = await child.cpu()
      await load({ port: child.port, connections, requests: REQUESTS, request })
      // The first round warms up.
      if (round >= 0) cpu.push((((await child.cpu()) - before) / REQUESTS) * 1e6)
    }
  }
  const floor = contestants[0]?.cpu ?? []
  console.log(row(`${connections} at a time`, 'CPU µs', 'ratio'))
  for (const { name, cpu } of contestants) {
    const ratio = median(cpu.map((one, n) => one / (floor[n] ?? Number.NaN)))
    console.log(row(name, median(cpu), ratio))
  }
}
for (const { child } of [...contestants, { child: provider }]) await child.stop()
process.exit()
