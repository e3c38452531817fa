import { setTimeout as sleep } from 'node:timers/promises'
import { startSilentProxy } from '../../../../test/support/silent-proxy.ts'
import { until } from '../../../session-store/test/support/redis.ts'
import { createIdentityService, type IdentityService } from '../../src/service.ts'
import { createFetchTo } from '../issuer/support/loopback.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { clusterKey } from '../support/cluster.ts'
import type { Field } from './field.ts'
import { authorization } from './load.ts'

/** A fault with a limit of its own, caused without other load. Answers with what was measured. */
type Fault = (field: Field) => Promise<string>

/** The time after which a peer that fell silent is given up at the latest. */
const SILENT_SECONDS = 5

/** Longer than a check of readiness may take. */
const LOCKED_MS = 4_500

const TENANTS = 40
const UPDATES = 500

export const faults = {
  'a PostgreSQL that falls silent for one process': (field) => silence(field, 'database'),

  'a Redis that falls silent for one process': (field) => silence(field, 'redis'),

  async 'a Redis that one process alone has lost'(field) {
    await using behind = await startBehindProxies(field)
    behind.redis.silence()
    behind.redis.silenceNew(true)
    const seconds = await secondsUntil(async () => !(await isReady(behind.process)))
    if (!(await areReady(field))) throw new Error('Another process is not ready.')
    behind.redis.silenceNew(false)
    await until('it is ready again', () => isReady(behind.process), 30)
    return `not ready after ${seconds.toFixed(1)} s, the others ready`
  },

  async 'a row of the revision that is locked for 4.5 s'(field) {
    const { database } = field.cluster
    await database.query('begin; update revision set n = n + 1')
    const end = performance.now() + LOCKED_MS
    let checks = 0
    for (; performance.now() < end; checks++) {
      if (!(await areReady(field))) throw new Error('A process is not ready.')
      await sleep(200)
    }
    await database.query('rollback')
    return `every process ready in ${checks} of ${checks} checks`
  },

  async 'the first requests of forty tenants at once, amid writes'(field) {
    const run = crypto.randomUUID().slice(0, 8)
    const { port } = new URL(field.url)
    const hosts = Array.from({ length: TENANTS }, (_, n) => `first-${run}-${n}.localhost:${port}`)
    await beside(field, async ({ admin }) => {
      for (const domain of hosts) await admin.createTenant({ domain })
    })
    const begun = performance.now()
    const answers = await Promise.all(
      hosts.flatMap((host) => [
        field.fetch(`http://${host}/oidc/jwks`),
        createUser(field, field.apiKey, host.split(':')[0] as string),
      ]),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    if (refused.length > 0) throw new Error(`${refused.length} of ${answers.length} were refused.`)
    return `${answers.length} requests, none refused, ${secondsSince(begun).toFixed(1)} s`
  },

  async 'readers of the audit log after a burst of changes'(field) {
    const { database } = field.cluster
    const begun = performance.now()
    await database.query(`insert into audit (at, tenant_id, actor, action, target)
      select 1, '${field.tenant.split('/').at(-1)}', 'admin', 'user.update', 'usr_' || n
      from generate_series(1, ${UPDATES}) as n`)
    const unread = `select 1 from cursors having max(position) < (select max(id) from audit)`
    await until('all are read', async () => (await database.query(unread)).length === 0, 60)
    return `${(UPDATES / secondsSince(begun)).toFixed(0)} entries/s of one tenant`
  },
} satisfies Record<string, Fault>

/** How {@link drillNoise} is run. */
export interface NoiseDrill {
  rounds: number
  seconds: number
}

/** How many of the others write at once, each with an API key of its own. */
const OTHERS = 4
const NOISE = 32

/**
 * Measures the writes of others with and without an API key that sends invalid requests, 32 at a time, and is at its
 * limit of 100 requests a second.
 *
 * @returns The rate of the others beside the noisy key as a part of their rate without: the median of the rounds.
 */
export async function drillNoise(field: Field, { rounds, seconds }: NoiseDrill): Promise<number> {
  const { cluster, tenant } = field
  const id = tenant.split('/').at(-1) as string
  await Promise.all(cluster.processes.splice(0).map((one) => one.stop()))
  const options = { ...cluster.options, requestsPerSecond: 100 }
  const started = Array.from({ length: 4 }, () => serveElsewhere(options))
  cluster.processes.push(...(await Promise.all(started)))
  const keys = await beside(field, async ({ admin }) => {
    const create = (name: string) => admin.createApiKey({ name, reach: [id] })
    return {
      noisy: await create('noisy'),
      others: await Promise.all(Array.from({ length: OTHERS }, (_, n) => create(`other-${n}`))),
    }
  })
  await cluster.database.query(`insert into audit (at, tenant_id, actor, action, target, outcome)
    select 1, '${id}', 'key:${keys.noisy.key.id}', 'user.create', '', 'refused' from generate_series(1, 1500)`)

  const measure = async () => {
    const rates = keys.others.map(({ secret }) => writeFor(field, secret, seconds))
    return (await Promise.all(rates)).reduce((sum, n) => sum + n) / seconds
  }
  await measure()
  const parts: number[] = []
  for (let n = 0; n < rounds; n++) {
    const quiet = await measure()
    const noise = { isOver: false }
    const running = Array.from({ length: NOISE }, () => disturb(field, keys.noisy.secret, noise))
    parts.push((await measure()) / quiet)
    noise.isOver = true
    await Promise.all(running)
  }
  return parts.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
}

/** Creates users one after the other; answers how many. */
async function writeFor(field: Field, secret: string, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000
  let count = 0
  while (performance.now() < end) {
    const { status } = await createUser(field, secret, crypto.randomUUID())
    if (status === 200) count++
    else if (status === 429) await sleep(50)
    else throw new Error(`A write of another key was answered ${status}.`)
  }
  return count
}

/** Sends invalid requests; when the key is at its limit, waits for the next second. */
async function disturb(field: Field, secret: string, noise: { isOver: boolean }): Promise<void> {
  while (!noise.isOver) {
    const answer = await post(field, secret, { profile: { email: 'no address' } })
    await answer.body?.cancel()
    if (answer.status === 429) await sleep(1_000 - (Date.now() % 1_000))
  }
}

function createUser(field: Field, secret: string, name: string): Promise<Response> {
  return post(field, secret, { profile: { email: `${name}@example.com` } })
}

function post({ fetch, url, tenant }: Field, secret: string, body: object): Promise<Response> {
  return fetch(`${url}${tenant}/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Works with a service in this process, as a command beside the others does. */
async function beside<T>(
  { cluster: { options } }: Field,
  work: (service: IdentityService) => Promise<T>,
): Promise<T> {
  const { database, redis } = options
  await using service = await createIdentityService({
    ...(database !== undefined && { database }),
    ...(redis !== undefined && { redis }),
    masterKey: clusterKey.toString('base64'),
    allowHttpOnLoopback: true,
  })
  return await work(service)
}

/** A fifth process, whose connections go through proxies that can fall silent. */
async function startBehindProxies({ cluster, redis: { master } }: Field) {
  await using parts = new AsyncDisposableStack()
  const { port, pathname } = new URL(cluster.database.url)
  const database = parts.use(await startSilentProxy(Number(port)))
  const redis = parts.use(await startSilentProxy(master.port))
  const process = await serveElsewhere({
    ...cluster.options,
    database: `postgres://latchkey@127.0.0.1:${database.port}${pathname}`,
    redis: `redis://127.0.0.1:${redis.port}`,
  })
  parts.defer(() => process.kill())
  const owned = parts.move()
  return { database, redis, process, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function silence(field: Field, peer: 'database' | 'redis'): Promise<string> {
  await using behind = await startBehindProxies(field)
  await using parts = new AsyncDisposableStack()
  const { fetch, close } = createFetchTo(behind.process.origin)
  parts.defer(close)
  // The beginning of a login reads PostgreSQL and writes Redis.
  const begin = () =>
    fetch(authorization(field), {
      redirect: 'manual',
      signal: AbortSignal.timeout(SILENT_SECONDS * 1_000),
    })
  const isServed = async () => {
    const answer = await begin().catch(() => undefined)
    await answer?.body?.cancel()
    return answer !== undefined && answer.status < 400 && (await isReady(behind.process))
  }
  await until('it serves', isServed)
  behind[peer].silence()
  const seconds = await secondsUntil(isServed)
  if (seconds > SILENT_SECONDS + 1) throw new Error(`Given up after ${seconds.toFixed(1)} s.`)
  return `served again after ${seconds.toFixed(1)} s`
}

async function secondsUntil(holds: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  await until('it has happened', holds, 30)
  return secondsSince(begun)
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000

async function isReady({ origin }: Serving): Promise<boolean> {
  return (await fetch(`${origin}/x/ready`)).status === 200
}

async function areReady({ cluster }: Field): Promise<boolean> {
  return (await Promise.all(cluster.processes.map(isReady))).every(Boolean)
}
