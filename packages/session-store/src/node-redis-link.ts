import { NO_CONNECTION, patternOf, type RedisLink, type ScriptArgument } from './redis-link.ts'

type Argument = string | Buffer

interface Scannable {
  scanIterator(options: { MATCH: string; COUNT: number }): AsyncIterable<string[]>
}

/** A client of node-redis, created by `createClient`, `createSentinel` or `createCluster`. */
export interface NodeRedisClient {
  get(key: string): Promise<unknown>
  on(event: 'ready' | 'reconnecting' | 'error', listener: (error: Error) => void): unknown
  eval(script: string, options: { keys: string[]; arguments: Argument[] }): Promise<unknown>
  evalSha(sha: string, options: { keys: string[]; arguments: Argument[] }): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: the mapping's type differs between kinds of client
  withTypeMapping(mapping: any): any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  withCommandOptions(options: any): any
}

const BULK_STRING = 36 // `$`, the type of the reply to GET

/** Whether a value is a client of node-redis. */
export function isNodeRedis(client: unknown): client is NodeRedisClient {
  return typeof (client as Partial<NodeRedisClient> | null)?.withCommandOptions === 'function'
}

/** Creates a link over a client of the application. Closing the link does not close the client. */
export function nodeRedisLink(client: NodeRedisClient): RedisLink {
  // The client's timeout is off, because the store has its own. The client would create an
  // AbortSignal for each command, which takes longer than reading a session.
  const reader = client.withCommandOptions({
    typeMapping: { [BULK_STRING]: Buffer },
    timeout: undefined,
  }) as { get(key: string): Promise<Buffer | null> }
  // With this type mapping, scripts return buffers, even if the application has set another
  // mapping.
  const writer = client.withTypeMapping({ [BULK_STRING]: Buffer }) as NodeRedisClient
  const keyPrefix = String((client as { _keyPrefix?: string | Buffer })._keyPrefix ?? '')
  const call = (keys: string[], args: ScriptArgument[]) => ({ keys, arguments: args })
  return {
    isCluster: 'masters' in client,
    get: (key) => reader.get(key),
    evalSha: (script, keys, args) => writer.evalSha(script.sha, call(keys, args)),
    eval: (script, keys, args) => writer.eval(script.lua, call(keys, args)),
    async *scan(prefix) {
      for await (const node of nodesOf(client)) {
        const pages = node.scanIterator({ MATCH: patternOf(keyPrefix + prefix), COUNT: 100 })
        for await (const keys of pages) yield keys.map((key) => key.slice(keyPrefix.length))
      }
    },
    watch(connection) {
      client.on('ready', () => connection.ready())
      client.on('reconnecting', () => connection.lost(NO_CONNECTION))
      // Without a listener, a lost connection would end the process.
      client.on('error', (error) => connection.lost(error))
    },
    async close() {},
  }
}

interface ClusterLike {
  masters: readonly unknown[]
  nodeClient(master: unknown): Promise<Scannable> | Scannable
}

interface SentinelLike {
  use(run: (client: Scannable) => Promise<void>): Promise<void>
}

async function* nodesOf(client: unknown): AsyncIterable<Scannable> {
  const cluster = client as Partial<ClusterLike>
  if (cluster.masters && cluster.nodeClient) {
    for (const master of cluster.masters) yield await cluster.nodeClient(master)
    return
  }
  if ('scanIterator' in (client as object)) {
    yield client as Scannable
    return
  }
  yield await scannableOf(client as SentinelLike)
}

/**
 * Adapts a Sentinel client for scans. A scan collects all keys before it yields them, because the
 * connection to the master is leased only during `use`.
 */
async function scannableOf(sentinel: SentinelLike): Promise<Scannable> {
  return {
    async *scanIterator(options) {
      const found: string[][] = []
      await sentinel.use(async (client) => {
        for await (const keys of client.scanIterator(options)) found.push(keys)
      })
      yield* found
    },
  }
}
