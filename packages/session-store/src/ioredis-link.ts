import type { Cluster, Redis } from 'ioredis'
import { NO_CONNECTION, patternOf, type RedisLink, type ScriptArgument } from './redis-link.ts'

/** A client of ioredis: for a single Redis, Sentinel or Cluster. */
export type IoredisClient = Redis | Cluster

const CONNECT_MILLISECONDS = 5000
/**
 * The minimum time between two attempts to leave a replica by a new connection. Reads still work on
 * a replica, and each new connection delays them.
 */
const LEAVE_MILLISECONDS = 1000

/** Whether a value is a client of ioredis. */
export function isIoredis(client: unknown): client is IoredisClient {
  return typeof (client as { getBuffer?: unknown } | null)?.getBuffer === 'function'
}

/**
 * Connects to a `redis://` or `rediss://` URL. A command waits for at most one connection attempt.
 * If the server has become a replica, the client reconnects to the server that the host name now
 * resolves to.
 */
export function connectIoredis(url: string): RedisLink {
  let link: RedisLink | undefined
  // ioredis is loaded only when it is used, because loading it takes a third of the start time of
  // an Express application. This is an `import()`, because bundlers do not follow
  // `createRequire()`.
  const linked = import('ioredis').then(({ Redis }) => {
    link = linkTo(connect(Redis, url))
    return link
  })
  // If ioredis cannot be loaded, each command fails and reports the error.
  linked.catch(() => {})
  /**
   * Calls `use` synchronously if ioredis is loaded, so that commands of one turn of the event loop
   * are sent together.
   */
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

/** Creates a link that owns its client, and so may disconnect it. */
function linkTo(client: Redis): RedisLink {
  const link = ioredisLink(client)
  // Errors are ignored here, because failing commands and `health()` report them.
  client.on('error', () => {})
  return {
    ...link,
    watch(connection) {
      link.watch?.(connection)
      client.on('error', (error) => connection.lost(error))
    },
    reconnect() {
      // While the client connects, `connectTimeout` applies.
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

/** Creates a link over a client of the application. Closing the link does not close the client. */
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

/** The methods of every ioredis client that are missing in the types of ioredis. */
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
 * Returns a function to call before each command. The commands of one turn of the event loop are
 * then sent in one write. The client's own pipelining costs more CPU than it saves, and makes one
 * batch wait for the answers of another.
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
