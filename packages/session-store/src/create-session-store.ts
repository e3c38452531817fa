import { connectIoredis, type IoredisClient, ioredisLink, isIoredis } from './ioredis-link.ts'
import { MemorySessionStore } from './memory-session-store.ts'
import { isNodeRedis, type NodeRedisClient, nodeRedisLink } from './node-redis-link.ts'
import type { RedisLink } from './redis-link.ts'
import { RedisSessionStore } from './redis-session-store.ts'
import { StoreConfigError } from './store-errors.ts'

/** Where sessions are kept. Without `url` and `client` they live in this process. */
export interface SessionStoreOptions {
  /** `redis://` or, over TLS, `rediss://`. */
  readonly url?: string | undefined
  /** A client of ioredis or node-redis in place of the url: for Sentinel, Cluster or settings of TLS. */
  readonly client?: IoredisClient | NodeRedisClient | undefined
  /**
   * Seals what is kept. `createAuthRouter` brings its session secret along, so this is for use with
   * express-session alone. Each has 32 characters or more; the first of a list seals, every one opens.
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
 * @throws {@link StoreConfigError} for an option it cannot use.
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
  const { maxSessions = 10_000 } = options
  checkNumber('touchSeconds', touchSeconds, 0)
  checkNumber('timeoutMilliseconds', timeoutMilliseconds, 1)
  checkNumber('maxSessions', maxSessions, 1)
  const secrets = secretsOf(options.secret)
  const link = linkOf(options)
  if (!link) {
    warnInProduction()
    return new MemorySessionStore({ maxSessions })
  }
  return new RedisSessionStore({ link, prefix, secrets, touchSeconds, timeoutMilliseconds })
}

function checkNumber(name: keyof SessionStoreOptions, value: number, least: number): void {
  if (Number.isFinite(value) && value >= least) return
  throw new StoreConfigError(`"${name}" must be a number of at least ${least}, not ${value}.`)
}

const MIN_SECRET_LENGTH = 32

function secretsOf(secret: SessionStoreOptions['secret']): string[] {
  const secrets = [secret ?? []].flat()
  if (secrets.every((one) => typeof one === 'string' && one.length >= MIN_SECRET_LENGTH)) {
    return secrets
  }
  throw new StoreConfigError(
    `"secret" must have at least ${MIN_SECRET_LENGTH} characters, each one of a list; is the environment variable set?`,
  )
}

function linkOf({ url, client }: SessionStoreOptions): RedisLink | undefined {
  if (isIoredis(client)) return ioredisLink(client)
  if (isNodeRedis(client)) return nodeRedisLink(client)
  if (client !== undefined) {
    throw new StoreConfigError(
      '"client" must be a client of ioredis, or of redis (node-redis) 5 or newer.',
    )
  }
  if (url === undefined || url === '') return undefined
  if (!/^rediss?:\/\/./.test(url)) {
    throw new StoreConfigError(
      '"url" must begin with redis:// or rediss://, as redis://localhost:6379.',
    )
  }
  return connectIoredis(url)
}

function warnInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return
  process.emitWarning(
    'Sessions live in this process: they end with it and no other process sees them. Give createSessionStore() the "url" of a Redis; is its environment variable set?',
    { code: 'LATCHKEY_SESSIONS_IN_MEMORY' },
  )
}
