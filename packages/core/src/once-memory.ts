import type { OnceMemory } from './session-store.ts'

/**
 * Remembers in this process that something has happened.
 *
 * @param now - The time in whole seconds.
 * @param max - The most that is remembered; the oldest is forgotten first.
 */
export function createOnceMemory(now: () => number, max: number): OnceMemory {
  const seen = new Map<string, number>()
  return async (key, seconds) => {
    if ((seen.get(key) ?? 0) > now()) return false
    seen.delete(key)
    seen.set(key, now() + seconds)
    for (const [oldest, until] of seen) {
      if (until > now() && seen.size <= max) break
      seen.delete(oldest)
    }
    return true
  }
}
