import type { MaybePromise } from '../maybe-promise.ts'
import type { ReplayCache, SessionStore } from './session-store.ts'
import { storeAnswer } from './store-answer.ts'

/** The replay cache of one instance. */
export interface Replays {
  /** Resolves to `true` for the first caller with a key within `seconds`. */
  consume(key: string, seconds: number): MaybePromise<boolean>
  /**
   * Does `work` unless it was done under this key; resolves to whether it was done now. Work that fails
   * does not count and can be tried again.
   */
  unlessDone(key: string, seconds: number, work: () => Promise<void>): Promise<boolean>
}

const MAX_KEYS = 100_000

/** The replay cache of a store, or one of this process when the store has none. */
export function replaysOf(store: SessionStore, now: () => number): Replays {
  const once = store.once ?? createReplayCache(now, MAX_KEYS)
  const consume = (key: string, seconds: number): MaybePromise<boolean> =>
    storeAnswer(() => once.consume(key, seconds))
  return {
    consume,
    async unlessDone(key, seconds, work) {
      if (await storeAnswer(() => once.isConsumed(key))) return false
      await work()
      return consume(key, seconds)
    },
  }
}

/**
 * A replay cache in this process.
 *
 * @param now - The time in seconds.
 * @param max - Keys remembered at most; the oldest is forgotten first.
 */
export function createReplayCache(now: () => number, max: number): ReplayCache {
  const expiries = new Map<string, number>()
  const isConsumed = (key: string): boolean => (expiries.get(key) ?? 0) > now()
  return {
    isConsumed,
    consume(key, seconds) {
      if (isConsumed(key)) return false
      expiries.delete(key)
      expiries.set(key, now() + seconds)
      for (const [oldest, expiresAt] of expiries) {
        if (expiresAt > now() && expiries.size <= max) break
        expiries.delete(oldest)
      }
      return true
    },
  }
}
