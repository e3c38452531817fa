import type { Cluster, Redis } from 'ioredis'
import { NO_CONNECTION, patternOf, type RedisLink, type ScriptArgument } from './redis-link.ts'

/** A client of ioredis: for a single Redis, Sentinel or Cluster. */
export type IoredisClient = Redis | Cluster

const CONNECT_MILLISECONDS = 5000
/**
 * How often the client may leave a replica. Reads still work there, and each new connection makes
 * them wait.
 */
const LEAVE_MILLISECONDS = 1000

/** Whether a client is one of ioredis. */
export function isIoredis(client: unknown): client is IoredisClient {
  return typeof (client as { getBuffer?: unknown } | null)?.getBuffer === 'function'
}

/**
 * Connects to a `redis://` or `rediss://` address. No command waits for more than one attempt to
 * connect, and if the server has become a replica, the client reconnects to the server that the
 * address now resolves to.
 */
export function connectIoredis(url: string): RedisLink {
  let link: RedisLink | undefined
  // Loaded only where it is used: it is a third of an Express application's start. Bundlers follow
  // an `import()`, and no `createRequire()`.
  const linked = import('ioredis').then(({ Redis }) => {
    link = linkTo(connect(Redis, url))
    return link
  })
  // The commands fail, and report it.
  linked.catch(() => {})
  /** Runs `use` at once if the client is loaded, so that commands of one turn are sent together. */
  const withLink = <T>(use: (link: RedisLink) => Promise<T>): Promise<T> =>
    link ? use(link) : linked.then(use)
  return {
    address: addressIn(url),
    get: (key) => withLink(({ get }) => get(key)),
    evalSha: (script, keys, args) => withLink(({ evalSha }) => evalSha(script, keys, args)),
    eval: (script, keys, args) => withLink((one) => one.eval(script, keys, args)),
    async *scan(prefix) {
      yield* (await linked).scan(prefix)
    },
    watch(connection) {
      linked.then(
        (one) => one.watch?.(connection),
        (error) => connection.lost(error),
      )
    },
    reconnect: () => link?.reconnect?.(),
    close: () => withLink(({ close }) => close()),
  }
}

function connect(Client: typeof Redis, url: string): Redis {
  let leftAt = 0
  return new Client(url, {
    connectTimeout: CONNECT_MILLISECONDS,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    reconnectOnError(error) {
      // For a command in a script, Redis 6 names the reason late in the message.
      const isReplica = /(^|-)READONLY /.test(error.message)
      if (!isReplica || Date.now() - leftAt < LEAVE_MILLISECONDS) return false
      leftAt = Date.now()
      return 1
    },
  })
}

/** A link of a client that it may disconnect. */
function linkTo(client: Redis): RedisLink {
  const link = ioredisLink(client)
  // Failing commands and `health()` report the failures.
  client.on('error', () => {})
  return {
    ...link,
    watch(connection) {
      link.watch?.(connection)
      client.on('error', (error) => connection.lost(error))
    },
    reconnect() {
      // While connecting, it has a time limit of its own.
      if (client.status === 'ready' || client.status === 'connect') client.disconnect(true)
    },
    async close() {
      client.disconnect()
    },
  }
}

/** The host and port of a URL, as ioredis reads them. */
function addressIn(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.hostname || 'localhost'}:${parsed.port || 6379}` : undefined
}

/** Makes a link over a client. Only the owner of the client closes it. */
export function ioredisLink(client: IoredisClient): RedisLink {
  const keyPrefix = client.options.keyPrefix ?? ''
  const together = isCluster(client) ? () => {} : writeTogether(client)
  const scripted = client as unknown as Scripted
  return {
    address: addressOf(client),
    isCluster: isCluster(client),
    get(key) {
      together()
      return client.getBuffer(key)
    },
    evalSha(script, keys, args) {
      together()
      return scripted.evalshaBuffer(script.sha, keys.length, ...keys, ...args)
    },
    eval: (script, keys, args) => scripted.evalBuffer(script.lua, keys.length, ...keys, ...args),
    async *scan(prefix) {
      const nodes = isCluster(client) ? client.nodes('master') : [client]
      const match = patternOf(keyPrefix + prefix)
      for (const node of nodes) {
        for await (const keys of node.scanStream({ match, count: 100 })) {
          yield (keys as string[]).map((key) => key.slice(keyPrefix.length))
        }
      }
    },
    watch(connection) {
      client.on('ready', () => connection.ready())
      client.on('close', () => connection.lost(NO_CONNECTION))
    },
    async close() {},
  }
}

/** Methods that every client has, but that are missing in the types of ioredis. */
type Scripted = Record<
  'evalBuffer' | 'evalshaBuffer',
  (script: string, keys: number, ...more: ScriptArgument[]) => Promise<unknown>
>

/** The address of a single server. `undefined` for Sentinel and a Cluster, which have several. */
function addressOf(client: IoredisClient): string | undefined {
  if (isCluster(client) || client.options.sentinels) return undefined
  const { path, host = 'localhost', port = 6379 } = client.options
  return path ?? `${host}:${port}`
}

function isCluster(client: IoredisClient): client is Cluster {
  return client.isCluster
}

/**
 * Sends the commands of one turn of the event loop in one write. The client's own pipelining costs
 * more CPU than it saves, and makes one batch wait for the answers of another.
 */
function writeTogether(client: Redis): () => void {
  let held: Redis['stream'] | undefined
  const release = (): void => {
    held?.uncork()
    held = undefined
  }
  return () => {
    if (held || !client.stream) return
    held = client.stream
    held.cork()
    setImmediate(release)
  }
}
