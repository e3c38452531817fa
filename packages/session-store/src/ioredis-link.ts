import { createRequire } from 'node:module'
import type { Cluster, Redis } from 'ioredis'
import type { RedisLink } from './redis-link.ts'

/** A client of ioredis, for one Redis (also found by Sentinel) or a Cluster. */
export type IoredisClient = Redis | Cluster

/** Whether a client is one of ioredis. */
export function isIoredis(client: unknown): client is IoredisClient {
  return typeof (client as { getBuffer?: unknown } | null)?.getBuffer === 'function'
}

/**
 * Connects to a `redis://` or `rediss://` address. Commands of one turn of the event loop travel
 * together, none waits for more than one attempt to connect, and a server that has become a replica
 * is left for the one the address leads to now.
 */
export function connectIoredis(url: string, timeoutMilliseconds: number): Redis {
  // Loaded only where it is used: it is a third of an Express application's start.
  const ioredis = createRequire(import.meta.url)('ioredis') as typeof import('ioredis')
  const client = new ioredis.Redis(url, {
    enableAutoPipelining: true,
    connectTimeout: timeoutMilliseconds,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  })
  // What fails is reported by the commands that fail, and by `health()`.
  client.on('error', () => {})
  return client
}

/** Makes a link of a client. */
export function ioredisLink(client: IoredisClient): RedisLink {
  return {
    client,
    get: (key) => client.getBuffer(key),
    evalSha: (script, key, args) => client.evalsha(script.sha, 1, key, ...args),
    eval: (script, key, args) => client.eval(script.lua, 1, key, ...args),
    del: (key) => client.del(key),
    async *scan(prefix) {
      const nodes = 'nodes' in client ? client.nodes('master') : [client]
      const keyPrefix = client.options.keyPrefix ?? ''
      for (const node of nodes) {
        for await (const keys of node.scanStream({ match: `${keyPrefix}${prefix}*`, count: 100 })) {
          yield (keys as string[]).map((key) => key.slice(keyPrefix.length))
        }
      }
    },
    async close() {
      client.disconnect()
    },
  }
}
