import { LRUCache } from 'lru-cache'
import { NO_TENANT } from '../../store/ports.ts'
import { count } from '../../telemetry/metrics.ts'
import { type DomainContext, foreignVersion } from './context.ts'

/** A cache of read values, by key. */
export interface Cache<T> {
  /** The cached value; without one, the result of `read`, which may be cached. */
  get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
}

/** The maximum number of values in a cache. Each takes some kilobytes. */
const MAX_CACHED = 1_000

/** The options of a cache. */
export interface CacheOptions<T> {
  /** The name of the cache in metrics. */
  name: string
  /** The write actions of this process after which cached values of the tenant are read again. */
  concerns: RegExp
  /**
   * The id of a value's tenant. `NO_TENANT` if each of these actions concerns the value, for any
   * tenant.
   */
  tenantOf(value: T): string
}

interface Entry<T> {
  value: T
  tenantId: string
  /** The version of the tenant when the value was read. */
  version: unknown
}

/**
 * Creates a cache. A value stays until a write in its tenant, by this process or another. If the
 * store cannot report writes of other processes, nothing is cached.
 */
export function createCache<T extends object>(
  domain: DomainContext,
  { name, concerns, tenantOf }: CacheOptions<T>,
): Cache<T> {
  const cached = new LRUCache<string, Entry<T>>({ max: MAX_CACHED })
  let generation = 0

  domain.events.on('change', ({ action, tenantId }) => {
    if (!concerns.test(action)) return
    generation++
    for (const [key, entry] of cached.entries()) {
      if (entry.tenantId === NO_TENANT || entry.tenantId === tenantId) cached.delete(key)
    }
  })

  return {
    async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
      const known = cached.get(key)
      const isFresh = known?.version === foreignVersion(domain, known?.tenantId)
      count('cacheLookups', { cache: name, result: known && isFresh ? 'hit' : 'miss' })
      if (known && isFresh) return known.value
      cached.delete(key)

      const before = { version: foreignVersion(domain), generation }
      const value = await read()
      // A value is not cached if a write happened while it was read. Nor is a missing value,
      // because a client could evict all others with unknown names.
      const isCurrent =
        before.version !== undefined &&
        before.version === foreignVersion(domain) &&
        before.generation === generation
      if (value && isCurrent) {
        const tenantId = tenantOf(value)
        cached.set(key, { value, tenantId, version: foreignVersion(domain, tenantId) })
      }
      return value
    },
  }
}
