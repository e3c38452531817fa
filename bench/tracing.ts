import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inClientSpan, inSpan, traceRequests } from '../packages/service/src/telemetry/tracing.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of traces without an SDK: the processor time of the calls that a login makes to the API, beside that of the
 * login, with the password check stubbed and real.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const CALLS = 200_000
const LOGINS = Number(process.env.LOGINS ?? 100)
/** Of a login on PostgreSQL and Redis, counted with an SDK. */
const SPANS = Number(process.env.SPANS ?? 80)
const REQUESTS = 6

async function done(): Promise<void> {}
const serve = traceRequests(
  () => false,
  () => {},
)
const aRequest = { method: 'GET', headers: {} } as IncomingMessage
const aResponse = new EventEmitter() as ServerResponse

/** Processor time, in microseconds, of one call. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const { user, system } = process.cpuUsage()
    for (let i = 0; i < CALLS; i++) await work()
    const used = process.cpuUsage()
    if (round > 0) costs.push((used.user + used.system - user - system) / CALLS)
  }
  return median(costs)
}

/** Processor time of a login in milliseconds. */
async function loginCost(hashing: 'stubbed' | 'real'): Promise<number> {
  const server = await start('issuer', 'sqlite', hashing)
  const [client] = await server.ask<[BenchClient]>('clients')
  const logins = createLogins(server.port, client)
  const costs: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = await server.cpu()
    for (let i = 0; i < LOGINS; i++) await logins.full()
    if (round > 0) costs.push((((await server.cpu()) - before) / LOGINS) * 1_000)
  }
  logins.close()
  await server.stop()
  return median(costs)
}

const span = await costOf(() => inSpan('a.span', {}, done))
const client = await costOf(() => inClientSpan('redis', 'get', done))
const bare = await costOf(done)
const request = await costOf(async () => serve(aRequest, aResponse))
const perLogin = (Math.max(span, client) - bare) * SPANS + request * REQUESTS
console.log(row('without an SDK', 'CPU, µs'))
console.log(row('a span', span - bare))
console.log(row('a statement or command', client - bare))
console.log(row('a request', request))
console.log(row(`a login: ${SPANS} spans, ${REQUESTS} requests`, perLogin))
for (const hashing of ['stubbed', 'real'] as const) {
  const ms = await loginCost(hashing)
  console.log(row(`login, password ${hashing}, CPU ms`, ms, `${(perLogin / ms / 10).toFixed(2)} %`))
}
