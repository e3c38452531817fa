import { freePort } from '../../../../test/support/free-port.ts'
import { provideNginx, startNginx } from '../../../../test/support/nginx.ts'
import { until } from '../../../session-store/test/support/redis.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { serveElsewhere } from '../store/serving.ts'
import type { Balancer } from '../support/balancer.ts'
import type { Cluster } from '../support/cluster.ts'
import { earlierRelease } from '../support/earlier-release.ts'
import { type Findings, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { keepNotices } from './kept-notices.ts'
import { authorization, fetchOf, type Load, startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'
import { disable, type LoggedIn, logInMany, setReceiver, startReceiver } from './notices-drill.ts'

/** How long a process of this release drains. */
const DRAIN_SECONDS = 1

/** How many users are disabled while both releases serve. */
const DISABLED = 20

/** How {@link drillReleases} is run. */
export interface ReleasesDrill {
  clients: number
  /** How many requests that only read are sent each second, beside those of the clients. Default: none. */
  readsPerSecond?: number
}

/** The findings of {@link drillReleases}. */
export interface ReleasesFindings extends Findings {
  perSecond: number
  /** Users who were disabled, and of how many the logout has more than one notice. */
  notices: number
  noticesTwice: number
}

/**
 * Replaces processes of the last release by those of this one under load, through the migration, back, and forth
 * again, behind nginx as the guide says.
 *
 * @throws when a request fails, or when anything that was acknowledged is lost.
 */
export async function drillReleases({
  clients,
  readsPerSecond = 0,
}: ReleasesDrill): Promise<ReleasesFindings> {
  const earlier = earlierRelease()
  let nginx: Nginx | undefined
  await using field = await startField({
    release: earlier,
    async balance(cluster) {
      nginx = await startNginxOf(cluster)
      return nginx
    },
  })
  const told = new Map<string, number[]>()
  await using receiver = await startReceiver(told)
  await setReceiver(field, receiver.url)
  const begun = performance.now()
  const load = startLoad(field, clients)
  const readers = startReaders(field, load, readsPerSecond)
  await load.progress()
  await migratePostgres({ url: field.cluster.database.url })
  const kept = await keepNotices(field.cluster.database)
  await load.progress()
  const disabled: LoggedIn[] = []
  for (const release of [undefined, earlier, undefined]) {
    const users = await logInMany(field, DISABLED)
    const count = field.cluster.processes.length
    for (let n = 1; n <= count; n++) {
      await replaceOne(field, load, nginx as Nginx, release)
      if (n === count / 2) {
        await Promise.all(users.map((user) => disable(field, user)))
        disabled.push(...users)
      }
    }
    await load.progress()
  }
  await readers.stop()
  await load.stop()
  const perSecond = field.requests() / ((performance.now() - begun) / 1_000)
  await releaseMail(field)
  await until('every notice arrives', () => disabled.every(({ id }) => told.has(id)), 60)
  const counts = await kept.count()
  // None would mean that the copies were not kept: each notice has arrived.
  const unknown = disabled.filter(({ id }) => !counts.has(id))
  if (unknown.length > 0) throw new Error(`${unknown.length} notices arrived and were not stored`)
  const noticesTwice = disabled.filter(({ id }) => (counts.get(id) ?? 0) > 1).length
  const { failures, lastFailure } = load.ledger
  if (failures > 0) {
    const errors = nginx?.errors().join('\n')
    throw new Error(`${failures} requests failed, the last one with ${lastFailure}\n${errors}`)
  }
  return {
    ...(await verify(field, load.ledger)),
    ...{ perSecond, notices: disabled.length, noticesTwice },
  }
}

/** nginx as the guide has it; `follow` makes it send requests to the processes that are there now. */
interface Nginx extends Balancer {
  follow(): Promise<void>
  /** The errors that it reported so far. */
  errors(): string[]
}

async function startNginxOf({ processes }: Cluster): Promise<Nginx> {
  provideNginx()
  const port = await freePort()
  const upstream = () => {
    const servers = processes.map((one) => `server 127.0.0.1:${one.port} max_fails=0;`)
    return `upstream latchkey { ${servers.join(' ')} keepalive 32; }`
  }
  // Clients open a connection for each request: nginx closes those that are kept alive when it is told to reload.
  const nginx = await startNginx(
    port,
    `keepalive_timeout 0;
    location / {
      proxy_pass http://latchkey;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
    upstream(),
  )
  return {
    port,
    follow: () => nginx.reload(upstream()),
    errors: () => nginx.errors(),
    [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
  }
}

/** Reads users, keys and pages at a fixed rate, whether earlier requests were answered or not. */
function startReaders(field: Field, { ledger }: Load, perSecond: number) {
  const fetch = fetchOf(field)
  const headers = { authorization: `Bearer ${field.apiKey}` }
  const requests: [url: string, init?: RequestInit][] = [
    [`${field.url}${field.tenant}/users?limit=1`, { headers }],
    [`${field.url}/oidc/jwks`],
    [authorization(field), { redirect: 'manual' }],
  ]
  const underWay = new Set<Promise<void>>()
  async function read(n: number): Promise<void> {
    const [url, init] = requests[n % requests.length] as (typeof requests)[0]
    try {
      await (await fetch(url, init)).arrayBuffer()
    } catch (error) {
      ledger.failures++
      ledger.lastFailure = `${url}: ${error}`
    }
  }
  const begun = performance.now()
  let sent = 0
  const sending = setInterval(() => {
    const due = ((performance.now() - begun) / 1_000) * perSecond
    for (; sent < due; sent++) {
      const one = read(sent).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, 20)
  return {
    async stop() {
      clearInterval(sending)
      await Promise.all(underWay)
    },
  }
}

async function replaceOne(
  { cluster }: Field,
  load: Load,
  nginx: Nginx,
  release?: string,
): Promise<void> {
  const { options, processes } = cluster
  const fresh = release
    ? await cluster.start(release)
    : await serveElsewhere({ ...options, drainSeconds: DRAIN_SECONDS })
  processes.push(fresh)
  await nginx.follow()
  await load.progress(1)
  const old = processes[0]
  // SIGTERM alone is enough for one of this release. Those of the last one do not drain, so nginx spares them first.
  if (release) await old?.stop()
  processes.shift()
  await nginx.follow()
  await old?.stop()
}
