import { LRUCache } from 'lru-cache'
import { count } from '../../telemetry/metrics.ts'
import { type DomainContext, foreignVersion } from './context.ts'

/** A cache of read values, by key. */
export interface Kept<T> {
  /** The cached value, or the result of `read`. */
  get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
}

/** The size of the cache; each value takes some kilobytes. */
const MAX_KEPT = 1_000

/**
 * Caches values until a write that may concern them, by this process or another. If the store
 * cannot report writes of other processes, nothing is cached.
 *
 * @param cache - The name in metrics.
 * @param concerns - The actions of this process after which all of it is read again.
 */
export function createKept<T extends object>(
  domain: DomainContext,
  cache: string,
  concerns: RegExp,
): Kept<T> {
  const kept = new LRUCache<string, T>({ max: MAX_KEPT })
  let version: unknown
  let generation = 0

  function clear(): void {
    kept.clear()
    generation++
  }

  domain.events.on('change', ({ action }) => {
    if (concerns.test(action)) clear()
  })

  return {
    async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
      const seen = foreignVersion(domain)
      if (seen === undefined) return read()
      if (seen !== version) clear()
      version = seen
      const known = kept.get(key)
      count('cacheLookups', { cache, result: known ? 'hit' : 'miss' })
      if (known) return known

      const before = generation
      const found = await read()
      // A value that was read before a write is not kept. Nor is that there is nothing:
      // a client that asks for unknown names would drive out the known ones.
      if (found && before === generation) kept.set(key, found)
      return found
    },
  }
}
