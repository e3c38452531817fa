import type { OnceMemory, SessionStore } from './session/session-store.ts'
import { storeAnswer } from './session/store-answer.ts'

/** Remembers what has happened. */
export interface Claims {
  /** Resolves to `true` for the first caller with a key. */
  readonly claim: OnceMemory
  /**
   * Does something unless it has been done under this key; resolves to whether it was done now. Work
   * that fails does not count, so that it can be tried again.
   */
  unlessDone(key: string, seconds: number, work: () => Promise<void>): Promise<boolean>
}

const MAX_CLAIMS = 100_000

/** The claims of a store; those of this process where it has none. */
export function claimsOf(store: SessionStore, now: () => number): Claims {
  const own = createClaimMemory(now, MAX_CLAIMS)
  const claim: OnceMemory = store.claim
    ? (key, seconds) => storeAnswer(store.claim?.(key, seconds))
    : own.claim
  const isClaimed = store.claim ? store.isClaimed?.bind(store) : own.isClaimed
  return {
    claim,
    async unlessDone(key, seconds, work) {
      // A store that cannot be asked is told first: what is done twice is worse than what is not.
      const marked = isClaimed ? !(await storeAnswer(isClaimed(key))) : await claim(key, seconds)
      if (!marked) return false
      await work()
      return isClaimed ? claim(key, seconds) : true
    },
  }
}

/** What {@link createClaimMemory} makes. */
export interface ClaimMemory {
  readonly claim: OnceMemory
  isClaimed(key: string): Promise<boolean>
}

/**
 * Remembers in this process.
 *
 * @param now - The time in whole seconds.
 * @param max - The most that is remembered; the oldest is forgotten first.
 */
export function createClaimMemory(now: () => number, max: number): ClaimMemory {
  const seen = new Map<string, number>()
  const isHeld = (key: string): boolean => (seen.get(key) ?? 0) > now()
  return {
    isClaimed: async (key) => isHeld(key),
    async claim(key, seconds) {
      if (isHeld(key)) return false
      seen.delete(key)
      seen.set(key, now() + seconds)
      for (const [oldest, until] of seen) {
        if (until > now() && seen.size <= max) break
        seen.delete(oldest)
      }
      return true
    },
  }
}
