import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { startPostgres, type TestPostgres } from '../../../../test/support/postgres-server.ts'
import {
  startSentinel,
  type TestRedis,
  type TestSentinel,
} from '../../../session-store/test/support/redis.ts'
import { createIdentityService, type IdentityService } from '../../src/service.ts'
import { createLoopbackFetch, type Fetch } from '../issuer/support/loopback.ts'
import type { Balancer } from '../support/balancer.ts'
import { type Cluster, clusterKey, startCluster } from '../support/cluster.ts'
import { createDatabase } from '../support/postgres.ts'

/** A cluster whose parts a drill may break: PostgreSQL, Redis behind Sentinel, mail and four processes. */
export interface Field extends AsyncDisposable {
  readonly postgres: TestPostgres
  readonly redis: TestSentinel
  readonly cluster: Cluster
  /** How often a message arrived, by address. */
  readonly mailbox: Map<string, number>
  /** The issuer, behind the balancer. */
  readonly url: string
  readonly fetch: Fetch
  /** How many requests were sent. */
  requests(): number
  readonly apiKey: string
  readonly tenant: string
  readonly client: { id: string; secret: string }
}

/** Where the application of the drills is said to run. */
export const callback = 'http://localhost:3000/callback'

/** How a field is started. */
export interface FieldOptions {
  /** The folder of another release's service, of which the first processes are. */
  release?: string
  /** Starts what is in front of the processes. Default: a balancer of our own. */
  balance?(cluster: Cluster): Promise<Balancer>
}

/** Starts everything, with a tenant, an application and an API key. */
export async function startField({
  release,
  balance = (cluster) => cluster.balance(),
}: FieldOptions = {}): Promise<Field> {
  await using parts = new AsyncDisposableStack()
  const postgres = parts.use(await startPostgres())
  const redis = parts.use(await startSentinel())
  const mailbox = new Map<string, number>()
  const mail = parts.use(await startMailbox(mailbox, (address) => address.startsWith('poison')))
  const database = await createDatabase({ port: postgres.port, migrate: false })
  const cluster = parts.use(
    await startCluster({
      database,
      redis: redis.master,
      redisUrl: `redis-sentinel://127.0.0.1:${redis.sentinel.port}/sessions`,
      closeSeconds: 2,
      release,
      mail: { url: `smtp://127.0.0.1:${mail.port}`, from: 'no-reply@acme.example' },
    }),
  )
  const balancer = parts.use(await balance(cluster))
  const domain = `acme.localhost:${balancer.port}`
  const prepared = await prepare(cluster, domain, release)
  const owned = parts.move()
  const fetch = createLoopbackFetch()
  let requests = 0
  return {
    ...{ postgres, redis, cluster, mailbox, ...prepared },
    url: `http://${domain}`,
    fetch: (url, init) => {
      requests++
      return fetch(url, init)
    },
    requests: () => requests,
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** Makes what the drills work with, as an operator would: by commands beside the processes. */
async function prepare({ options }: Cluster, domain: string, release?: string) {
  const { createIdentityService: create }: typeof import('../../src/service.ts') = await import(
    release === undefined ? '../../src/service.ts' : join(release, 'src/service.ts')
  )
  await using service = await create({
    database: options.database,
    redis: options.redis,
    masterKey: clusterKey.toString('base64'),
    allowHttpOnLoopback: true,
  })
  const { id } = await service.admin.createTenant({ domain })
  const { secret: apiKey } = await service.admin.createApiKey({ name: 'drill', reach: [id] })
  const tenant = `/v1/tenants/${id}`
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.fetch(`https://api.example${tenant}/applications${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as { id: string; secret: string }
  }
  const made = await ask('POST', '', { name: 'Shop', redirect_urls: [callback] })
  // The answer to the creation holds no secret.
  const client = await ask('GET', `/${made.id}`)
  return { apiKey, tenant, client }
}

/** The Redis that takes writes now: after a failover it is the one that was the replica. */
export async function masterOf({
  redis: { sentinel, master, replica },
}: Field): Promise<TestRedis> {
  const [, port] = (await sentinel.inspect((one) =>
    one.call('sentinel', 'get-master-addr-by-name', 'sessions'),
  )) as string[]
  return Number(port) === master.port ? master : replica
}

/** Works with a service in this process, as a command beside the others does. */
export async function beside<T>(
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

/** How long the mail server takes for an address that begins with `slow`. */
const SLOW_MS = 300

/** A mail server that counts what it takes, and refuses addresses that begin with `poison`. */
async function startMailbox(arrived: Map<string, number>, refuses: (address: string) => boolean) {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _, done) {
      done(refuses(address) ? Object.assign(new Error('No'), { responseCode: 550 }) : undefined)
    },
    onData(stream, session, done) {
      stream.resume().on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        for (const address of to) arrived.set(address, (arrived.get(address) ?? 0) + 1)
        setTimeout(done, to[0]?.startsWith('slow') ? SLOW_MS : 0)
      })
    },
  })
  // Of a process that was killed amid a message.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
