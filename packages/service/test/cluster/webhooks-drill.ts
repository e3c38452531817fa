import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { createIdentityService } from '../../src/service.ts'
import type { ServiceEvent } from '../../src/webhooks/events.ts'
import { type Cluster, clusterKey } from '../support/cluster.ts'
import { drills } from './drills.ts'
import type { Field } from './field.ts'

/** The size of a drill of webhooks. */
export interface WebhookLoad {
  /** Endpoints, one in each tenant, and how many of them never answer. */
  endpoints: number
  hanging: number
  changesPerSecond: number
  seconds: number
  /** How often a process is killed; 0: never. */
  killEverySeconds: number
  /** Whether PostgreSQL is restarted in the middle. */
  restartsPostgres: boolean
}

/** Deliveries as the receivers saw them. Endpoints that hang are left out. */
export interface WebhookFindings {
  /** Changes that the audit log holds. */
  committed: number
  /** Events of committed changes that did not arrive. */
  lost: number
  /** Events that arrived more than once. */
  twice: number
  /** From the time of the entry to the arrival of the event, in milliseconds. */
  median: number
  p99: number
  slowest: number
  /** Of the events that arrived while nothing was broken: no more than 15 seconds before, nothing after. */
  medianAtRest: number
  p99AtRest: number
  kills: number
  /** Requests for changes that got no answer, or another one than 200. */
  failures: number
}

interface Customer {
  tenantId: string
  webhookId: string
  userId: string
  isHanging: boolean
}

interface Arrival {
  count: number
  atMs: number
  /** From the time of the entry. */
  waitedMs: number
}

/** How long events may take to arrive after the last change. */
const DRAIN_SECONDS = 60

/** How long the effects of a kill or a restart last: the lease of a lane, and time to catch up. */
const UNREST_MS = 15_000

const TYPE = 'user.updated'

/**
 * Changes users of many tenants at a steady rate while processes are killed, and compares the events that arrive with
 * the audit log.
 */
export async function drillWebhooks(field: Field, load: WebhookLoad): Promise<WebhookFindings> {
  const arrivals = new Map<string, Arrival>()
  await using receiver = await startReceiver(arrivals)
  const { customers, headers } = await prepare(field.cluster, receiver.origin, load)
  const [from] = await field.cluster.database.query('select max(id) as id from audit')
  const changing = startChanges(field.cluster, customers, headers, load)
  const broken: number[] = []
  const end = performance.now() + load.seconds * 1_000
  let [kills, isRestarted] = [0, !load.restartsPostgres]
  const step = load.killEverySeconds > 0 ? load.killEverySeconds : load.seconds / 2
  while (performance.now() + step * 1_000 < end) {
    await sleep(step * 1_000 * (0.5 + Math.random()))
    broken.push(Date.now())
    if (!isRestarted && end - performance.now() < load.seconds * 500) {
      isRestarted = true
      await drills['a restart of PostgreSQL'](field, undefined as never, 1)
    } else if (load.killEverySeconds > 0) {
      await drills['kill -9 of a process'](field)
      kills++
    }
    broken.push(Date.now())
  }
  await sleep(Math.max(0, end - performance.now()))
  const failures = await changing.stop()
  const committed = await committedChanges(field.cluster, customers, Number(from?.id))
  const missing = () => committed.filter((name) => !arrivals.has(name))
  const drained = performance.now() + DRAIN_SECONDS * 1_000
  while (missing().length > 0 && performance.now() < drained) await sleep(200)
  return { ...findingsOf(committed, arrivals, broken), kills, failures }
}

function findingsOf(
  committed: readonly string[],
  arrivals: ReadonlyMap<string, Arrival>,
  broken: readonly number[],
): Omit<WebhookFindings, 'kills' | 'failures'> {
  const arrived = committed.flatMap((name) => arrivals.get(name) ?? [])
  const isAtRest = ({ atMs, waitedMs }: Arrival) =>
    !broken.some((at) => at > atMs - waitedMs - UNREST_MS && at < atMs)
  const sorted = (of: readonly Arrival[]) =>
    of.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b)
  const all = sorted(arrived)
  const rest = sorted(arrived.filter(isAtRest))
  const at = (waits: readonly number[], part: number) =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? 0
  return {
    committed: committed.length,
    lost: committed.length - arrived.length,
    twice: arrived.filter(({ count }) => count > 1).length,
    ...{ median: at(all, 0.5), p99: at(all, 0.99), slowest: at(all, 1) },
    ...{ medianAtRest: at(rest, 0.5), p99AtRest: at(rest, 0.99) },
  }
}

/** The changes in the audit log, of the tenants whose endpoints answer, as events name them. */
async function committedChanges(
  { database }: Cluster,
  customers: readonly Customer[],
  from: number,
): Promise<string[]> {
  const answering = new Set(
    customers.filter(({ isHanging }) => !isHanging).map(({ tenantId }) => tenantId),
  )
  const rows = await database.query(
    `select id, tenant_id from audit where id > ${from} and action = 'user.update'`,
  )
  return rows
    .filter(({ tenant_id }) => answering.has(String(tenant_id)))
    .map(({ id, tenant_id }) => `${tenant_id} ${id}`)
}

/** Makes a tenant for each endpoint, with a user to change. */
async function prepare({ options, database }: Cluster, origin: string, load: WebhookLoad) {
  await using service = await createIdentityService({
    ...{ database: database.url, masterKey: clusterKey.toString('base64') },
    ...(options.redis !== undefined && { redis: options.redis }),
    ...{ allowHttpOnLoopback: true, requestsPerSecond: 1_000_000 },
  })
  const { secret } = await service.admin.createApiKey({ name: 'load', reach: 'all' })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const ask = async (path: string, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await service.fetch(`https://api.example${path}`, init)
    const made = (await answer.json()) as { id: string }
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(made)}`)
    return made.id
  }
  const run = crypto.randomUUID().slice(0, 8)
  const customers: Customer[] = []
  async function make(n: number): Promise<void> {
    const isHanging = n < load.hanging
    const { id } = await service.admin.createTenant({ domain: `c${n}-${run}.example` })
    const url = `${origin}/${isHanging ? 'hang' : 'answer'}/${n}`
    const webhookId = await ask(`/x/v1/tenants/${id}/webhooks`, { url, types: [TYPE] })
    const userId = await ask(`/v1/tenants/${id}/users`, { profile: { email: 'ada@example.com' } })
    customers.push({ tenantId: id, webhookId, userId, isHanging })
  }
  for (let n = 0; n < load.endpoints; n += 8) {
    const lot = Array.from({ length: Math.min(8, load.endpoints - n) }, (_, i) => make(n + i))
    await Promise.all(lot)
  }
  return { customers, headers }
}

/** Changes one user after the other, at a steady rate, at one process after the other. */
function startChanges(
  cluster: Cluster,
  customers: readonly Customer[],
  headers: Record<string, string>,
  { changesPerSecond }: WebhookLoad,
) {
  const dispatcher = new Agent({ connections: 16, connectTimeout: 2_000, headersTimeout: 10_000 })
  const begun = performance.now()
  const running = new Set<Promise<void>>()
  let [sent, failures, isOver] = [0, 0, false]

  async function change(n: number): Promise<void> {
    const { tenantId, userId } = customers[n % customers.length] as Customer
    const { port } = cluster.processes[n % cluster.processes.length] as { port: number }
    const url = `http://127.0.0.1:${port}/v1/tenants/${tenantId}/users/${userId}`
    const body = JSON.stringify({ profile: { email: 'ada@example.com', name: `Ada ${n}` } })
    try {
      const answer = await request(url, { dispatcher, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 200) failures++
    } catch {
      failures++
    }
  }

  async function run(): Promise<void> {
    while (!isOver) {
      const due = ((performance.now() - begun) / 1_000) * changesPerSecond
      for (; sent < due; sent++) {
        const one = change(sent)
        running.add(one)
        void one.then(() => running.delete(one))
      }
      await sleep(5)
    }
  }
  const loop = run()

  return {
    async stop() {
      isOver = true
      await loop
      await Promise.all(running)
      await dispatcher.destroy()
      return failures
    },
  }
}

async function startReceiver(arrivals: Map<string, Arrival>) {
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await text(req).catch(() => undefined)
    if (body === undefined || req.url?.startsWith('/hang/')) return
    res.writeHead(204).end()
    const { data, timestamp } = JSON.parse(body) as ServiceEvent
    const name = `${data.tenant_id} ${data.sequence}`
    const known = arrivals.get(name)
    const atMs = Date.now()
    if (known) known.count++
    else arrivals.set(name, { count: 1, atMs, waitedMs: atMs - Date.parse(timestamp) })
  }
  const server = createServer((req, res) => void receive(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
