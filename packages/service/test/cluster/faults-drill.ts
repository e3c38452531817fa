import { setTimeout as sleep } from 'node:timers/promises'
import { startSilentProxy } from '../../../../test/support/silent-proxy.ts'
import { until } from '../../../session-store/test/support/redis.ts'
import { createFetchTo } from '../issuer/support/loopback.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { beside, type Field, masterOf } from './field.ts'
import { idleStatements } from './idle-drill.ts'
import { authorization } from './load.ts'
import { drillMasterKey } from './master-key-drill.ts'
import { drillRefreshes } from './refresh-drill.ts'
import { drillMovedFolder, drillRetryAfter, writingCommands } from './refusals-drill.ts'
import { drillRestore } from './restore-drill.ts'

/** A fault with a limit of its own. Answers with what was measured; a short form tries it fewer times. */
export type Fault = (field: Field, isShort: boolean) => Promise<string>

/** The time after which a peer that fell silent is given up at the latest. */
const SILENT_SECONDS = 5

/** Longer than a check of readiness may take. */
const LOCKED_MS = 4_500

/** The most statements that an idle process may send. */
const IDLE_PER_SECOND = 2

const TENANTS = 40
const UPDATES = 500
const IMPORTED_AT_ONCE = 100

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
        createUser(field, host.split(':')[0] as string),
      ]),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    if (refused.length > 0) throw new Error(`${refused.length} of ${answers.length} were refused.`)
    return `${answers.length} requests, none refused, ${secondsSince(begun).toFixed(1)} s`
  },

  async 'readers of the audit log after a burst of changes'(field) {
    const { database } = field.cluster
    const tenant = field.tenant.split('/').at(-1)
    await importUsers(field, UPDATES)
    const begun = performance.now()
    await database.query(`insert into audit (at, tenant_id, actor, action, target)
      select 1, '${tenant}', 'admin', 'user.update', id from users
      where tenant_id = '${tenant}' order by id desc limit ${UPDATES}`)
    const unread = `select 1 from cursors having max(position) < (select max(id) from audit)`
    await until('all are read', async () => (await database.query(unread)).length === 0, 60)
    return `${(UPDATES / secondsSince(begun)).toFixed(0)} entries/s of one tenant`
  },

  async 'refreshes whose responses are lost'(field, isShort) {
    const { logins, ended, forked } = await drillRefreshes(field, isShort ? 4 : 20)
    if (ended + forked > 0) throw new Error(`${ended} of ${logins} logins ended, ${forked} forked.`)
    return `${logins} logins, none ended and none with two successors; a replay ended its login`
  },

  async 'commands on a folder that was moved'(field, isShort) {
    const count = await drillMovedFolder(field, writingCommands.slice(0, isShort ? 2 : undefined))
    return `${count} of ${count} commands refused it, nothing in it changed`
  },

  'requests while PostgreSQL is gone': (field) => refuse(field, 'postgres'),

  'requests while Redis is gone': (field) => refuse(field, 'redis'),

  async 'a process without requests'(field, isShort) {
    const seconds = isShort ? 10 : 20
    const statements = await idleStatements(field, seconds)
    const found = `${(statements.length / seconds).toFixed(1)} statements/s to PostgreSQL`
    if (statements.length > IDLE_PER_SECOND * seconds) {
      throw new Error([found, ...statements].join('\n'))
    }
    return found
  },

  async 'a PostgreSQL that is restored from a dump'(field, isShort) {
    const count = isShort ? 3 : 20
    const { entries, twice, slowest } = await drillRestore(field, count)
    return (
      `${entries} of ${entries} entries exported; of ${count} notices and ${count} webhooks none lost, ` +
      `${twice.notices} and ${twice.webhooks} twice, the last one after ${slowest.toFixed(1)} s`
    )
  },

  // The last one: it leaves processes with another key.
  async 'a new master key on one of two machines'(field, isShort) {
    const found = await drillMasterKey(
      field,
      isShort ? { clients: 1, each: 1 } : { clients: 2, each: 2 },
    )
    const { seconds, users, codes, mails, twice, failures } = found
    return (
      `the other one not ready after ${seconds.toFixed(1)} s; ${users} users, ${codes} codes, ${mails} mails, ` +
      `none lost, ${twice} twice, ${failures} failures`
    )
  },
} satisfies Record<string, Fault>

async function refuse(field: Field, peer: 'postgres' | 'redis'): Promise<string> {
  const { refused, others } = await drillRetryAfter(field, peer)
  return `${refused} of ${refused} responses with 503 had retry-after, ${others} requests were answered`
}

async function importUsers(field: Field, count: number): Promise<void> {
  const run = crypto.randomUUID().slice(0, 8)
  for (let n = 0; n < count; n += IMPORTED_AT_ONCE) {
    const users = Array.from({ length: IMPORTED_AT_ONCE }, (_, i) => ({
      profile: { email: `changed-${run}-${n + i}@example.com` },
    }))
    const { status } = await post(field, `/x${field.tenant}/users/import`, { users })
    if (status !== 200) throw new Error(`The import was answered ${status}.`)
  }
}

function createUser(field: Field, name: string): Promise<Response> {
  return post(field, `${field.tenant}/users`, { profile: { email: `${name}@example.com` } })
}

function post({ fetch, url, apiKey }: Field, path: string, body: object): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** A fifth process, whose connections go through proxies that can fall silent. */
async function startBehindProxies(field: Field) {
  const { cluster } = field
  await using parts = new AsyncDisposableStack()
  const { port, pathname } = new URL(cluster.database.url)
  const database = parts.use(await startSilentProxy(Number(port)))
  const redis = parts.use(await startSilentProxy((await masterOf(field)).port))
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
