import { ConfigError, type SessionRecord } from '@latchkey/core'
import {
  checkOptions,
  isTouchDue,
  OldestFirst,
  type Rules,
  remember,
  rule,
} from '@latchkey/core/internal'
import type { SessionData } from 'express-session'
import type {
  ExpressSessionOptions,
  ExpressSessionStore,
  ManagedSessionStore,
} from './session-store.ts'

type Sessions = Pick<ManagedSessionStore, 'get' | 'set' | 'touch' | 'destroy' | 'touchSeconds'> & {
  ids?(): Promise<string[]>
}

/** The maximum number of records that are remembered between the start and the end of requests. */
const MAX_SEEN = 10_000

/**
 * Creates a store for express-session without the kit: the store of connect-redis on top of a store
 * of this package. The cookie of express-session is stored with the application's data.
 */
export function createExpressStore(
  sessions: Sessions,
  options: ExpressSessionOptions = {},
): ExpressSessionStore {
  const { faults } = checkOptions<ExpressSessionOptions>(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'forExpressSession() cannot start:')
  const RedisStore = (options.RedisStore as ConnectRedis | undefined) ?? loadConnectRedis()
  /**
   * The latest record of each session that was read. `expire` needs the record to extend a session.
   */
  const seen = new OldestFirst<string, SessionRecord>()
  const client = {
    async get(id: string) {
      const record = await sessions.get(id)
      // A session without a cookie of express-session belongs to the kit.
      if (!record?.data.cookie) return undefined
      remember(seen, id, record, MAX_SEEN)
      return record
    },
    async set(id: string, data: object, { expiration: { value } }: Expiring) {
      seen.delete(id)
      await sessions.set(id, { data: { ...data }, expiresAt: Date.now() / 1000 + value })
    },
    async expire(id: string, seconds: number) {
      const record = seen.get(id) ?? (await sessions.get(id))
      seen.delete(id)
      const now = Date.now() / 1000
      if (!record || !isTouchDue(record.expiresAt, seconds, now, sessions.touchSeconds)) return
      await sessions.touch(id, record, now + seconds)
    },
    async del(ids: readonly string[]) {
      for (const id of ids) {
        seen.delete(id)
        await sessions.destroy(id)
      }
    },
    mGet: (ids: readonly string[]) => Promise.all(ids.map((id) => client.get(id))),
    async *scanIterator() {
      if (!sessions.ids) throw new Error('Sessions in memory cannot be listed.')
      yield await sessions.ids()
    },
  }
  const serializer = {
    stringify: (session: SessionData) => session as unknown as string,
    parse: (record: unknown) => structuredClone((record as SessionRecord).data) as never,
  }

  /**
   * The store of connect-redis, whose `destroy` gets a callback that ignores errors. Without a
   * callback, an error of connect-redis would be an unhandled rejection.
   */
  class ExpressStore extends RedisStore {
    override destroy(id: string, done: Done = () => {}): Promise<unknown> {
      return super.destroy(id, done)
    }
  }
  return new ExpressStore({ client, serializer, prefix: '' })
}

interface Expiring {
  readonly expiration: { readonly value: number }
}

type Done = (error?: unknown) => void

type ConnectRedis = typeof import('connect-redis').RedisStore

const RULES: Rules<ExpressSessionOptions> = {
  RedisStore: rule('the class RedisStore of connect-redis', (value) => typeof value === 'function'),
}

function loadConnectRedis(): ConnectRedis {
  // `createRequire` is not imported, because a bundle of ES modules often declares this name
  // itself, for CommonJS modules.
  const { createRequire } = process.getBuiltinModule('node:module')
  try {
    return createRequire(import.meta.url)('connect-redis').RedisStore
  } catch (cause) {
    const remedy =
      'forExpressSession() needs connect-redis: npm install connect-redis redis express-session. In a bundle, pass it: forExpressSession({ RedisStore })'
    throw Object.assign(new ConfigError([], remedy), { cause })
  }
}
