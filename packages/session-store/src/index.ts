export { createSessionStore, type SessionStoreOptions } from './create-session-store.ts'
export type { IoredisClient } from './ioredis-link.ts'
export type { NodeRedisClient } from './node-redis-link.ts'
export type {
  ExpressSessionOptions,
  ExpressSessionStore,
  ManagedSessionStore,
  RedisSessionStore,
} from './session-store.ts'
