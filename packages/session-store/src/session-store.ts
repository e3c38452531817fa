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

/** A store for `expressSession({ store })`, typed without the package of express-session. */
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
  /**
   * The `RedisStore` of connect-redis. Default: it is loaded from `node_modules`. Pass it if you
   * use a bundler.
   */
  readonly RedisStore?: (new (options: Any) => ExpressSessionStore) | undefined
}

/** The session store that `createSessionStore()` returns, with methods for probes and shutdown. */
export interface ManagedSessionStore extends SessionStore {
  readonly index: SessionIndex
  readonly once: ReplayCache
  readonly lock: SessionLock
  readonly touchSeconds: number
  /** The state of Redis, as the latest commands have seen it. Makes no network call. */
  health(): StoreHealth
  /** Resolves when Redis answers, and rejects when it does not: for a readiness probe. */
  ready(): Promise<void>
  /** Closes the connection that was opened from `url`. Your own `client` stays open. */
  close(): Promise<void>
  /**
   * Returns a store for express-session without the kit: `expressSession({ store, … })`.
   *
   * @throws {@link ConfigError} for an option that is unknown or of a wrong type, and if
   *   connect-redis is not installed.
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
  /** Destroys all sessions. */
  clear(): Promise<void>
  /**
   * Counts the sessions. `length`, `ids` and `all` read every session, so use them only for
   * maintenance and tests.
   */
  length(): Promise<number>
  /** The ids of all sessions. They are secrets. */
  ids(): Promise<string[]>
  all(): Promise<(SessionRecord & { readonly id: string })[]>
}
