import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveElsewhere } from '../store/serving.ts'
import { startBalancer } from '../support/balancer.ts'
import { beside, type Field } from './field.ts'

/** How {@link drillNoise} is run. */
export interface NoiseDrill {
  rounds: number
  seconds: number
  /** Whether the rate of others is also measured on a machine that has no core left. */
  isSaturated: boolean
}

/** The writes of others beside a noisy API key; medians of the rounds. */
export interface NoiseFindings {
  /** The part of the writes that others sent at a fixed rate and that were done in time. */
  part: number
  /** The slowest hundredth of these writes begins there, in milliseconds. */
  p99: { quiet: number; noisy: number }
  /** The cores that processes of the service and PostgreSQL need for the noise alone. */
  cores: number
  /** The rate of others who write as fast as they can, beside the same noise that another server gets. */
  saturated: number | undefined
}

/** How many others write, each with an API key of its own, and how many writes each sends a second. */
const OTHERS = 4
const EACH_PER_SECOND = 15

/** A write that takes longer is not done in time. */
const IN_TIME_MS = 1_000

const NOISE = 32
const LIMIT = 100

/**
 * Measures the writes of others with and without an API key that sends invalid requests, 32 at a time, and is at its
 * limit of 100 requests a second.
 *
 * Clients, balancer and servers share the cores of one machine. So others write at a rate that leaves cores free: what
 * they lose is then lost to locks and queues, and not to the noisy client's own work.
 */
export async function drillNoise(
  field: Field,
  { rounds, seconds, isSaturated }: NoiseDrill,
): Promise<NoiseFindings> {
  const { cluster } = field
  await Promise.all(cluster.processes.splice(0).map((one) => one.stop()))
  const options = { ...cluster.options, requestsPerSecond: LIMIT }
  const started = Array.from({ length: 4 }, () => serveElsewhere(options))
  cluster.processes.push(...(await Promise.all(started)))
  const { noisy, others } = await createKeys(field)
  const at = (url: string) => () => startNoise(field, url, noisy)
  await using elsewhere = await startOtherServer()

  const atRate = () => writeAtRate(field, others, seconds)
  await atRate()
  const parts: number[] = []
  const p99 = { quiet: [] as number[], noisy: [] as number[] }
  const cores: number[] = []
  const saturated: number[] = []
  for (let n = 0; n < rounds; n++) {
    const quiet = await atRate()
    const loud = await amid(at(field.url), atRate)
    parts.push(loud.inTime / quiet.inTime)
    p99.quiet.push(quiet.p99)
    p99.noisy.push(loud.p99)
    cores.push((loud.cpuSeconds - quiet.cpuSeconds) / seconds)
    if (!isSaturated) continue
    const asFast = () => writeAsFastAsPossible(field, others, seconds)
    const alone = await amid(at(elsewhere.url), asFast)
    saturated.push((await amid(at(field.url), asFast)) / alone)
  }
  return {
    part: median(parts),
    p99: { quiet: median(p99.quiet), noisy: median(p99.noisy) },
    cores: median(cores),
    saturated: isSaturated ? median(saturated) : undefined,
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** The keys; the noisy one has had 1,500 requests refused before. */
async function createKeys(field: Field): Promise<{ noisy: string; others: string[] }> {
  const id = field.tenant.split('/').at(-1) as string
  const { noisy, others } = await beside(field, async ({ admin }) => {
    const create = (name: string) => admin.createApiKey({ name, reach: [id] })
    return {
      noisy: await create('noisy'),
      others: await Promise.all(Array.from({ length: OTHERS }, (_, n) => create(`other-${n}`))),
    }
  })
  await field.cluster.database.query(`insert into audit (at, tenant_id, actor, action, target, outcome)
    select 1, '${id}', 'key:${noisy.key.id}', 'user.create', '', 'refused' from generate_series(1, 1500)`)
  return { noisy: noisy.secret, others: others.map(({ secret }) => secret) }
}

async function amid<T>(start: () => AsyncDisposable, work: () => Promise<T>): Promise<T> {
  await using _ = start()
  return await work()
}

/** Sends invalid requests; when the key is at its limit, waits for the next second. */
function startNoise({ fetch, tenant }: Field, url: string, secret: string): AsyncDisposable {
  let isOver = false
  const send = async () => {
    while (!isOver) {
      const answer = await create({ fetch, tenant, url }, secret, 'no address')
      await answer.body?.cancel()
      if (answer.status === 429) await sleep(1_000 - (Date.now() % 1_000))
    }
  }
  const running = Array.from({ length: NOISE }, send)
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(running)
    },
  }
}

interface Written {
  inTime: number
  p99: number
  /** Of the processes of the service and PostgreSQL. */
  cpuSeconds: number
}

/**
 * Creates users at a fixed rate, whether earlier ones were answered or not. A client that got no
 * processor time for a while does not catch up, which would exceed the limit of its key.
 */
async function writeAtRate(
  field: Field,
  secrets: readonly string[],
  seconds: number,
): Promise<Written> {
  const cpu = cpuSecondsOf(field)
  const times: number[] = []
  const writes: Promise<void>[] = []
  const write = async (secret: string) => {
    const begun = performance.now()
    const { status } = await createUser(field, secret)
    if (status !== 200) throw new Error(`A write of another key was answered ${status}.`)
    times.push(performance.now() - begun)
  }
  let begun = performance.now()
  const count = seconds * EACH_PER_SECOND
  for (let n = 0; n < count; n++) {
    const dueMs = begun + (n * 1_000) / EACH_PER_SECOND - performance.now()
    if (dueMs > 0) await sleep(dueMs)
    else begun -= dueMs
    writes.push(...secrets.map(write))
  }
  const cpuSeconds = cpuSecondsOf(field) - cpu
  await Promise.all(writes)
  const sorted = times.toSorted((a, b) => a - b)
  return {
    inTime: times.filter((time) => time <= IN_TIME_MS).length,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    cpuSeconds,
  }
}

/** Creates users one after the other, with each key; answers how many a second. */
async function writeAsFastAsPossible(
  field: Field,
  secrets: readonly string[],
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1_000
  let count = 0
  const write = async (secret: string) => {
    while (performance.now() < end) {
      const { status } = await createUser(field, secret)
      if (status === 200) count++
      else if (status === 429) await sleep(50)
      else throw new Error(`A write of another key was answered ${status}.`)
    }
  }
  await Promise.all(secrets.map(write))
  return count / seconds
}

async function createUser(field: Field, secret: string): Promise<Response> {
  const answer = await create(field, secret, `${crypto.randomUUID()}@example.com`)
  await answer.body?.cancel()
  return answer
}

function create(
  { fetch, url, tenant }: Pick<Field, 'fetch' | 'url' | 'tenant'>,
  secret: string,
  email: string,
): Promise<Response> {
  return fetch(`${url}${tenant}/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ profile: { email } }),
  })
}

/** A server behind a balancer of its own that refuses as the service does, and does nothing else. */
async function startOtherServer() {
  let second = 0
  let count = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const now = Math.floor(Date.now() / 1_000)
      count = now === second ? count + 1 : 1
      second = now
      response.writeHead(count > LIMIT ? 429 : 400).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const balancer = await startBalancer(() => [port])
  return {
    url: `http://127.0.0.1:${balancer.port}`,
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Linux counts the time of a process in hundredths of a second. */
const TICKS = 100

/** The time of all processes of the service and PostgreSQL, its ended ones included. */
function cpuSecondsOf({ cluster, postgres }: Field): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
  const ours = new Set(cluster.processes.map(({ pid }) => pid))
  return all
    .filter(({ pid, parent }) => ours.has(pid) || pid === postgres.pid || parent === postgres.pid)
    .reduce((sum, { pid, own, ended }) => sum + own + (pid === postgres.pid ? ended : 0), 0)
}

function statOf(name: string): { pid: number; parent: number; own: number; ended: number } {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    // Behind the name of the program, which may have spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    const ended = (endedUser + endedSystem) / TICKS
    return { pid: Number(name), parent, own: (user + system) / TICKS, ended }
  } catch {
    return { pid: 0, parent: 0, own: 0, ended: 0 }
  }
}
