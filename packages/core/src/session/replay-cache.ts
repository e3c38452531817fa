import type { MaybePromise } from '../shared/maybe-promise.ts'
import { createMarks } from './stores/marks.ts'
import type { SessionStore } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** The replay cache of one instance. */
export interface Replays {
  /**
   * Marks a key as used. Resolves to `true` for the first caller within `seconds`, and to `false`
   * for every other.
   */
  consume(key: string, seconds: number): MaybePromise<boolean>
  /**
   * Runs `work` unless it has succeeded under this key within `seconds`. Resolves to `true` for the
   * first caller that succeeds, otherwise to `false`. If `work` fails, the key stays unused.
   */
  unlessDone(key: string, seconds: number, work: () => Promise<void>): Promise<boolean>
}

/** The replay cache of a store; a cache in this process if the store has none. */
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
