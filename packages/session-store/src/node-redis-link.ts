import type { RedisLink, ScriptArgument } from './redis-link.ts'

type Argument = string | Buffer

interface Scannable {
  scanIterator(options: { MATCH: string; COUNT: number }): AsyncIterable<string[]>
}

/** What is used of a client of node-redis: `createClient`, `createSentinel` or `createCluster`. */
export interface NodeRedisClient {
  get(key: string): Promise<unknown>
  del(key: string): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: Argument[] }): Promise<unknown>
  evalSha(sha: string, options: { keys: string[]; arguments: Argument[] }): Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: the mapping's type differs between kinds of client
  withTypeMapping(mapping: any): any
}

const BULK_STRING = 36 // `$`, the type that GET answers with

/** Whether a client is one of node-redis. */
export function isNodeRedis(client: unknown): client is NodeRedisClient {
  return typeof (client as { withTypeMapping?: unknown } | null)?.withTypeMapping === 'function'
}

/** Makes a link of a client. */
export function nodeRedisLink(client: NodeRedisClient): RedisLink {
  const bytes = client.withTypeMapping({ [BULK_STRING]: Buffer }) as {
    get(key: string): Promise<Buffer | null>
  }
  const call = (key: string, args: ScriptArgument[]) => ({ keys: [key], arguments: args })
  return {
    client,
    get: (key) => bytes.get(key),
    evalSha: (script, key, args) => client.evalSha(script.sha, call(key, args)),
    eval: (script, key, args) => client.eval(script.lua, call(key, args)),
    del: (key) => client.del(key),
    async *scan(prefix) {
      for await (const node of nodesOf(client)) {
        yield* node.scanIterator({ MATCH: `${prefix}*`, COUNT: 100 })
      }
    },
    async close() {
      await (client as unknown as { close(): Promise<void> }).close()
    },
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
  yield await leaseOf(client as SentinelLike)
}

/** A scan over Sentinel collects all keys within one lease of the master's connection. */
async function leaseOf(sentinel: SentinelLike): Promise<Scannable> {
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
