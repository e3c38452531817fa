import { connectIoredis, type IoredisClient, ioredisLink, isIoredis } from './ioredis-link.ts'
import { MemorySessionStore } from './memory-session-store.ts'
import { isNodeRedis, type NodeRedisClient, nodeRedisLink } from './node-redis-link.ts'
import type { RedisLink } from './redis-link.ts'
import { RedisSessionStore } from './redis-session-store.ts'

/** Where sessions are kept. Without `url` and `client` they live in this process. */
export interface SessionStoreOptions {
  /** `redis://` or, over TLS, `rediss://`. */
  readonly url?: string | undefined
  /** A client of ioredis or node-redis in place of the url: for Sentinel, Cluster or settings of TLS. */
  readonly client?: IoredisClient | NodeRedisClient | undefined
  /**
   * Seals what is kept. `createAuthRouter` brings its session secret along, so this is for use with
   * express-session alone. The first of a list seals, every one opens.
   */
  readonly secret?: string | readonly string[] | undefined
  /** What every key begins with. Default `latchkey:`. */
  readonly prefix?: string
  /** A session in use is prolonged at most this often. Default 60. */
  readonly touchSeconds?: number
  /** The longest a command may take, waiting for a connection included. Default 1,000. */
  readonly timeoutMilliseconds?: number
  /** In memory: sessions kept at most. Default 10,000. */
  readonly maxSessions?: number
}

/**
 * Makes a session store for express-session and for `createAuthRouter`. It connects by itself, keeps
 * trying when Redis is away, and never keeps a process waiting at its start.
 *
 * @throws {TypeError} for a url or client it cannot use.
 */
export function createSessionStore(
  options: SessionStoreOptions & ({ readonly url: string } | { readonly client: object }),
): RedisSessionStore
export function createSessionStore(
  options?: SessionStoreOptions,
): RedisSessionStore | MemorySessionStore
export function createSessionStore(
  options: SessionStoreOptions = {},
): RedisSessionStore | MemorySessionStore {
  const { prefix = 'latchkey:', touchSeconds = 60, timeoutMilliseconds = 1000 } = options
  const link = linkOf(options, timeoutMilliseconds)
  if (!link) {
    warnInProduction()
    return new MemorySessionStore({ maxSessions: options.maxSessions ?? 10_000 })
  }
  const secrets = [options.secret ?? []].flat()
  return new RedisSessionStore({ link, prefix, secrets, touchSeconds, timeoutMilliseconds })
}

function linkOf(
  { url, client }: SessionStoreOptions,
  timeoutMilliseconds: number,
): RedisLink | undefined {
  if (isIoredis(client)) return ioredisLink(client)
  if (isNodeRedis(client)) return nodeRedisLink(client)
  if (client !== undefined) {
    throw new TypeError('"client" must be a client of ioredis or of redis (node-redis).')
  }
  if (url === undefined || url === '') return undefined
  if (!/^rediss?:\/\/./.test(url)) {
    throw new TypeError('"url" must begin with redis:// or rediss://, as redis://localhost:6379.')
  }
  return ioredisLink(connectIoredis(url, timeoutMilliseconds))
}

function warnInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return
  process.emitWarning(
    'Sessions live in this process: they end with it and no other process sees them. Give createSessionStore() the "url" of a Redis; is its environment variable set?',
    { code: 'LATCHKEY_SESSIONS_IN_MEMORY' },
  )
}
