import type { SessionLock } from './session-store.ts'

/**
 * Makes a lock in the memory of this process.
 *
 * @param now - Returns the time in seconds since the epoch.
 */
export function createProcessLock(now: () => number): SessionLock {
  const locks = new Map<string, { readonly expiresAt: number }>()
  return {
    acquire(key, seconds) {
      if ((locks.get(key)?.expiresAt ?? 0) > now()) return undefined
      const mine = { expiresAt: now() + seconds }
      locks.set(key, mine)
      return () => {
        if (locks.get(key) === mine) locks.delete(key)
      }
    },
  }
}
