import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as api from '@opentelemetry/api'
import { createTelemetry } from '../packages/core/src/shared/telemetry.ts'
import { inClientSpan, inSpan, traceRequests } from '../packages/service/src/telemetry/tracing.ts'
import { start } from './parts/child.ts'
import { type BenchClient, createLogins } from './parts/login.ts'
import { median, row } from './parts/numbers.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * The cost of traces without an SDK: the processor time of the calls that a login makes to the API, beside that of the
 * login, with the password check stubbed and real. Then the same for the kit, with its option `telemetry`.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const CALLS = 200_000
const LOGINS = Number(process.env.LOGINS ?? 100)
/** Of a login on PostgreSQL and Redis, counted with an SDK. */
const SPANS = Number(process.env.SPANS ?? 80)
const REQUESTS = 6
/** How often a login at the kit over Redis calls the session store. */
const STORE_CALLS = 3

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

/** Processor time of a login at the kit in milliseconds, sessions in the process. */
async function kitLoginCost(): Promise<number> {
  const provider = await start('provider')
  const kit = await start('kit', 'latchkey', `http://127.0.0.1:${provider.port}`)
  const visitor = createVisitor(kit.port)
  const costs: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = await kit.cpu()
    for (let i = 0; i < LOGINS; i++) await visitor.logIn()
    if (round > 0) costs.push((((await kit.cpu()) - before) / LOGINS) * 1_000)
  }
  visitor.close()
  await kit.stop()
  await provider.stop()
  return median(costs)
}

const kit = createTelemetry(api, () => {})
const answer = { status: 200 }
const respond = async () => answer
const step = (await costOf(() => kit.step('callback', done))) - bare
const store = (await costOf(async () => kit.store('get', done))) - bare
const exchange =
  (await costOf(() => kit.exchange('POST', 'https://login.example.com/token', respond))) - bare
const counter = (await costOf(async () => kit.succeeded('callback'))) - bare
const perKitLogin = 2 * step + STORE_CALLS * store + exchange + counter
console.log(row('the kit: login, callback or refresh', step))
console.log(row('a call of the store', store))
console.log(row('an exchange with the provider', exchange))
console.log(row('a count', counter))
const kitMs = await kitLoginCost()
console.log(row('a login at the kit', perKitLogin, `${(perKitLogin / kitMs / 10).toFixed(2)} %`))
console.log(row('login at the kit, CPU ms', kitMs))
