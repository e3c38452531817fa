import type { MaybePromise } from '../shared/maybe-promise.ts'
import { createMarks } from './stores/marks.ts'
import type { SessionStore } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** The replay cache of one instance. */
export interface Replays {
  /** Resolves to `true` for the first caller with a key within `seconds`. */
  consume(key: string, seconds: number): MaybePromise<boolean>
  /**
   * Does `work` unless it was done under this key. Resolves to whether it was done now. Work that fails does not count
   * and can be tried again.
   */
  unlessDone(key: string, seconds: number, work: () => Promise<void>): Promise<boolean>
}

/** The replay cache of a store, or one in this process if the store has none. */
export function replaysOf(store: SessionStore, now: () => number): Replays {
  const once = store.once ?? createMarks(now)
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
