import type { EventEmitter } from 'node:events'
import type {
  ReplayCache,
  SessionIndex,
  SessionLock,
  SessionRecord,
  SessionStore,
} from '@latchkey/core'
import type { StoreHealth } from '@latchkey/core/internal'

// biome-ignore lint/suspicious/noExplicitAny: applications add to these types of express-session
type Any = any

/** A store as `expressSession({ store })` takes it, without its package of types. */
export interface ExpressSessionStore extends EventEmitter {
  get(id: string, done: (error: unknown, session?: Any) => void): void
  set(id: string, session: Any, done?: (error?: unknown) => void): void
  touch(id: string, session: Any, done?: (error?: unknown) => void): void
  destroy(id: string, done?: (error?: unknown) => void): void
  regenerate(request: Any, done: (error?: unknown) => void): void
  load(id: string, done: (error: unknown, session?: Any) => void): void
  createSession(request: Any, session: Any): Any
}

/** Options of {@link ManagedSessionStore.forExpressSession}. */
export interface ExpressSessionOptions {
  /** The `RedisStore` of connect-redis. Default: that of `node_modules`, which a bundler cannot see. */
  readonly RedisStore?: (new (options: Any) => ExpressSessionStore) | undefined
}

/**
 * The session store that `createSessionStore()` returns: a store with every ability, which is its
 * own manager.
 */
export interface ManagedSessionStore extends SessionStore {
  readonly index: SessionIndex
  readonly once: ReplayCache
  readonly lock: SessionLock
  readonly touchSeconds: number
  /** The state of Redis as the latest commands saw it, without a network call. */
  health(): StoreHealth
  /** Resolves when Redis answers, for a readiness probe; rejects when it does not. */
  ready(): Promise<void>
  /** Closes the connection that was made from a `url`; a client stays its owner's to close. */
  close(): Promise<void>
  /**
   * The same store for express-session without the kit: `expressSession({ store, … })`.
   *
   * @throws {@link ConfigError} for an option it cannot use, and without connect-redis.
   */
  forExpressSession(options?: ExpressSessionOptions): ExpressSessionStore
}

/** A {@link ManagedSessionStore} in Redis or Valkey. */
export interface RedisSessionStore extends ManagedSessionStore {
  get(id: string): Promise<SessionRecord | undefined>
  set(id: string, record: SessionRecord): Promise<void>
  touch(id: string, seen: SessionRecord, expiresAt: number): Promise<void>
  destroy(id: string): Promise<void>
  useSecrets(secrets: readonly string[]): void
  /** Ends every session. */
  clear(): Promise<void>
  /** Counts the sessions by opening each of them, as `ids` and `all` do: for operators and tests. */
  length(): Promise<number>
  /** The ids of the sessions. They are secrets. */
  ids(): Promise<string[]>
  all(): Promise<(SessionRecord & { readonly id: string })[]>
}
