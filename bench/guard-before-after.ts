import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type express from 'express'
import type { Express } from 'express'
import inject from 'light-my-request'
import { start } from './parts/child.ts'
import { median, row } from './parts/numbers.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * The cost of a guarded page before and after a change, without sockets: two checkouts of this repository, each
 * installed, in one process and in turns, so that neither has the quieter moment or core. The second one that is loaded
 * is the slower by a percent or two, so run it both ways: `guard-before-after.ts ../before .` and `. ../before`.
 * Sessions are in the process. In each, Express is that of the checkout.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 300)
const WARM_UP_ROUNDS = 40
const REQUESTS = 200
const SESSIONS = 50

const provider = await start('provider')
const issuer = `http://127.0.0.1:${provider.port}`

async function enter(checkout: string) {
  const folder = resolve(checkout, 'bench')
  const { kits } = await import(pathToFileURL(`${folder}/parts/kits.ts`).href)
  const createApp: typeof express = createRequire(`${folder}/`)('express')
  const app: Express = createApp()
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await kits.latchkey(app, { issuer, baseUrl: `http://127.0.0.1:${port}` })
  const visitor = createVisitor(port)
  const cookies: string[] = []
  while (cookies.length < SESSIONS) cookies.push(await visitor.logIn())
  visitor.close()
  server.close()
  return { app, cookies, host: `127.0.0.1:${port}`, cpu: [] as number[] }
}

/** The CPU of each request, in microseconds. */
async function ask({ app, cookies, host }: Awaited<ReturnType<typeof enter>>): Promise<number> {
  const begun = process.cpuUsage()
  for (let n = 0; n < REQUESTS; n++) {
    const headers = { host, accept: 'text/html', cookie: cookies[n % SESSIONS] }
    const { statusCode } = await inject(app, { url: '/page', headers })
    if (statusCode !== 200) throw new Error(`The page was answered with ${statusCode}.`)
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / REQUESTS
}

const [first = '', second = '.'] = process.argv.slice(2)
const both = [await enter(first), await enter(second)] as const
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
  for (const one of round % 2 ? both : both.toReversed()) {
    const cpu = await ask(one)
    if (round >= 0) one.cpu.push(cpu)
  }
}
const [one, other] = both
const ratio = median(other.cpu.map((cpu, round) => cpu / (one.cpu[round] ?? Number.NaN)))
console.log(row('', `${first}, µs`, `${second}, µs`, 'ratio'))
console.log(row('logged in', median(one.cpu), median(other.cpu), ratio))
await provider.stop()
process.exit()
