import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { startRedis, type TestRedis } from '../../../session-store/test/support/redis.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { type ServeOptions, type Serving, serveElsewhere } from '../store/serving.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { createDatabase, type TestDatabase } from './postgres.ts'

/** How many processes serve, unless a test says otherwise. */
export const PROCESSES = 4

/** The master key of every process. */
export const clusterKey = Buffer.alloc(32, 7)

/** Identical processes on one PostgreSQL and one Redis. */
export interface Cluster extends AsyncDisposable {
  readonly database: TestDatabase
  readonly redis: TestRedis
  /** What every process was started with. */
  readonly options: ServeOptions
  /** Those that requests are sent to. A test may take some out and put others in. */
  readonly processes: Serving[]
  /** Starts one more, perhaps of another release, which gets no requests yet. */
  start(release?: string): Promise<Serving>
  /** Opens a port behind which requests go to one process after the other. */
  balance(address?: string): Promise<Balancer>
}

/** Where a cluster keeps its data, if not in a PostgreSQL and a Redis of its own. */
export interface ClusterOptions extends Omit<ServeOptions, 'database' | 'redis'> {
  count?: number
  database?: TestDatabase
  redis?: TestRedis
  /** The address of the Redis, such as that of its Sentinel. */
  redisUrl?: string
  /** The folder of another release's service, of which the first processes are. */
  release?: string | undefined
}

/** Starts the processes at once: the first one makes the tables. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const {
    count = PROCESSES,
    database: given,
    redis: givenRedis,
    redisUrl,
    release,
    ...more
  } = options
  const database = given ?? (await createDatabase())
  const redis = givenRedis ?? (await startRedis())
  const serve: ServeOptions = {
    database: database.url,
    redis: redisUrl ?? redis.url,
    masterKey: clusterKey.toString('base64'),
    ...more,
  }
  const start = (of?: string) => serveElsewhere(serve, undefined, of)
  const processes = await Promise.all(Array.from({ length: count }, () => start(release)))
  return {
    database,
    redis,
    options: serve,
    processes,
    start,
    balance: (address) => startBalancer(() => processes.map(({ port }) => port), address),
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((one) => one.kill()))
      if (!givenRedis) await redis[Symbol.asyncDispose]()
      if (!given) await database.drop()
    },
  }
}

const shared = new Map<string, Promise<Cluster>>()

/** The cluster with these options that all tests of a file share, started when the first one asks for it. */
export function sharedCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const name = JSON.stringify(options)
  const cluster = shared.get(name) ?? startCluster(options)
  shared.set(name, cluster)
  return cluster
}

/** The PostgreSQL and the Redis alone: what serves is in the process of the test, and no other works on their rows. */
export const withoutProcesses: ClusterOptions = { count: 0 }

/** Ends the clusters of a file, if any were started. */
export async function endSharedClusters(): Promise<void> {
  const clusters = [...shared.values()]
  shared.clear()
  // A cluster that could not be started has failed the tests that asked for it.
  const started = await Promise.all(clusters.map((one) => one.catch(() => undefined)))
  for (const cluster of started) await cluster?.[Symbol.asyncDispose]()
}

/** Longer than a process goes on with the tenants and applications that it has read. */
export const HEARD_MS = 700

/** A store whose changes are known to every process when they resolve, as tests of one process expect. */
export function waitsForOthers(store: DataStore): DataStore {
  const { tenants, applications, signingKeys } = store
  return {
    ...store,
    tenants: { ...tenants, update: heard(tenants.update), delete: heard(tenants.delete) },
    applications: {
      ...applications,
      update: heard(applications.update),
      delete: heard(applications.delete),
    },
    signingKeys: {
      ...signingKeys,
      insert: heard(signingKeys.insert),
      update: heard(signingKeys.update),
      delete: heard(signingKeys.delete),
    },
  }
}

function heard<A extends unknown[], R>(write: (...args: A) => Promise<R>) {
  return async (...args: A): Promise<R> => {
    const outcome = await write(...args)
    await new Promise((resolve) => setTimeout(resolve, HEARD_MS))
    return outcome
  }
}

/** A `fetch` that asks one process, whatever the host. */
export function overHttp(port: number): typeof globalThis.fetch {
  const connector = buildConnector({})
  const dispatcher = new Agent({
    // A connection that is kept is closed by its process where the machine stands still for seconds, and a POST is then lost.
    pipelining: 0,
    connect: (options, callback) =>
      connector(
        { ...options, protocol: 'http:', hostname: '127.0.0.1', port: String(port) },
        callback,
      ),
  })
  return (url, init) =>
    undiciFetch(String(url), { ...(init as object), dispatcher }) as unknown as Promise<Response>
}
