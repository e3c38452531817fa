import { ConfigError, createMemoryStore } from '@latchkey/core'
import {
  type ConfigFault,
  checkOptions,
  either,
  flag,
  type Rules,
  rule,
  text,
  texts,
  whole,
} from '@latchkey/core/internal'
import { createExpressStore } from './express-store.ts'
import { connectIoredis, type IoredisClient, ioredisLink, isIoredis } from './ioredis-link.ts'
import { isNodeRedis, type NodeRedisClient, nodeRedisLink } from './node-redis-link.ts'
import type { RedisLink } from './redis-link.ts'
import { createRedisStore } from './redis-store.ts'
import type {
  ExpressSessionOptions,
  ManagedSessionStore,
  RedisSessionStore,
} from './session-store.ts'

/**
 * Options of `createSessionStore()`. Without `url` and `client`, sessions are kept in the memory of
 * this process.
 */
export interface SessionStoreOptions {
  /** The URL of Redis or Valkey: `redis://…`, or `rediss://…` over TLS. */
  readonly url?: string | undefined
  /** A client of ioredis or node-redis instead of `url`: for Sentinel, Cluster or TLS settings. */
  readonly client?: IoredisClient | NodeRedisClient | undefined
  /**
   * The secrets that encrypt records, each of 32 characters or more. The first secret of a list
   * encrypts, all secrets decrypt. Set this option only if you use the store with express-session
   * directly; the kit passes its session secret.
   */
  readonly secret?: string | readonly string[] | undefined
  /** The prefix of every key in Redis. Default `latchkey:`. */
  readonly prefix?: string
  /**
   * The minimum time between two extensions of a session in use, in seconds. It is never more than
   * a quarter of the session's idle time. Default 60.
   */
  readonly touchSeconds?: number
  /**
   * The time limit of a command in milliseconds, including the wait for a connection. Default
   * 1,000.
   */
  readonly timeoutMilliseconds?: number
  /**
   * Whether to write records in a smaller format, without the claims that the ID token has already.
   * Releases before 0.3 cannot read this format and would log users out, so set the option only
   * when every process runs 0.3 or newer. Both formats are always read. Default `false`.
   */
  readonly compactRecords?: boolean
  /** The maximum number of sessions if they are kept in memory. Default 10,000. */
  readonly maxSessions?: number
}

/**
 * Creates a session store for the kit, and for express-session without the kit. The store connects
 * to Redis in the background and reconnects by itself, so the process starts without Redis, too.
 *
 * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
 */
export function createSessionStore(
  options: SessionStoreOptions & ({ readonly url: string } | { readonly client: object }),
): RedisSessionStore
export function createSessionStore(options?: SessionStoreOptions): ManagedSessionStore
export function createSessionStore(options: SessionStoreOptions = {}): ManagedSessionStore {
  const { faults, good } = checkOptions<SessionStoreOptions>(options, RULES, {
    equivalents: EQUIVALENTS,
  })
  const all = [...faults, ...secretFaults(good.secret)]
  if (all.length > 0) {
    throw new ConfigError(all, 'createSessionStore() cannot start:')
  }
  const { prefix = 'latchkey:', touchSeconds = 60, timeoutMilliseconds = 1000 } = options
  const { maxSessions = 10_000, compactRecords = false } = options
  const secrets = [options.secret ?? []].flat()
  const link = linkOf(options)
  if (!link) {
    warnInProduction()
    return inMemory(maxSessions, touchSeconds)
  }
  return createRedisStore({
    ...{ link, prefix, secrets, touchSeconds, timeoutMilliseconds, compactRecords },
  })
}

const RULES: Rules<SessionStoreOptions> = {
  url: rule('a redis:// or rediss:// URL, such as redis://localhost:6379', (value) => {
    return typeof value === 'string' && /^(rediss?:\/\/.|$)/.test(value)
  }),
  client: rule('a client of ioredis, or of redis (node-redis) 5 or newer', (value) => {
    return isIoredis(value) || isNodeRedis(value)
  }),
  secret: either(text, texts),
  prefix: text,
  touchSeconds: whole('seconds', 0),
  timeoutMilliseconds: whole('milliseconds', 1),
  compactRecords: flag,
  maxSessions: whole('sessions', 1),
}

/** The options of connect-redis and express-session, each with the option to use here or a hint. */
const EQUIVALENTS = {
  secrets: 'secret',
  redis: 'client',
  ttl: 'Leave it out: sessions live as long as "session.idleSeconds" of createAuthRouter() says.',
  disableTouch: 'It is "touchSeconds" here.',
  disableTTL: 'Leave it out: every session has a time to live.',
  timeoutSeconds: 'It is "timeoutMilliseconds" here.',
}

const MIN_SECRET_LENGTH = 32

function secretFaults(secret: SessionStoreOptions['secret']): ConfigFault[] {
  const fault = (remedy: string): ConfigFault[] => [{ option: 'secret', remedy }]
  if (secret === '') return fault('is empty. Is the environment variable set?')
  return [secret ?? []].flat().some(({ length }) => length < MIN_SECRET_LENGTH)
    ? fault(`is too short: it needs ${MIN_SECRET_LENGTH} random characters or more.`)
    : []
}

function linkOf({ url, client }: SessionStoreOptions): RedisLink | undefined {
  if (isIoredis(client)) return ioredisLink(client)
  if (isNodeRedis(client)) return nodeRedisLink(client)
  if (url === undefined || url === '') return undefined
  return connectIoredis(url)
}

function inMemory(maxSessions: number, touchSeconds: number): ManagedSessionStore {
  const memory = createMemoryStore({ maxSessions, now: () => Date.now() / 1000 })
  const store: ManagedSessionStore = Object.assign(memory, {
    touchSeconds,
    health: () => ({ status: 'ok' as const, reason: undefined }),
    ready: async () => {},
    close: async () => {},
    forExpressSession: (options?: ExpressSessionOptions) => createExpressStore(store, options),
  })
  return store
}

function warnInProduction(): void {
  if (process.env.NODE_ENV !== 'production') return
  process.emitWarning(
    'Sessions live in this process: they end with it and no other process sees them. Give createSessionStore() the "url" of a Redis; is its environment variable set?',
    { code: 'LATCHKEY_SESSIONS_IN_MEMORY' },
  )
}
