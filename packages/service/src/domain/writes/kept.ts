import { LRUCache } from 'lru-cache'
import { type DomainContext, foreignVersion } from './context.ts'

/** Values that were read and are kept, by a key. */
export interface Kept<T> {
  /** The kept value, or the one that `read` finds now. */
  get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
}

/** How many are kept: some kilobytes each. */
const MAX_KEPT = 1_000

/**
 * Keeps what was read until something was written that may concern it, by this process or another. Where the
 * store cannot tell of other processes, nothing is kept.
 *
 * @param concerns - The actions of this process after which all of it is read again.
 */
export function createKept<T extends object>(domain: DomainContext, concerns: RegExp): Kept<T> {
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
