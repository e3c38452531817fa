import { createMemoryStore } from '../session/memory-store.ts'
import type { SessionStore } from '../session/session-store.ts'
import { storeAnswer } from '../session/store-answer.ts'

/**
 * How long a handled event is remembered: longer than the service waits between two attempts (24 hours
 * and a fifth). The timestamp alone refuses a copy after five minutes.
 */
const REMEMBERED_SECONDS = 172_800

/** How long one process may handle an event before another may begin; the service waits 15 seconds. */
const HELD_SECONDS = 60

/** Whether an event was handled now, was handled before, or is being handled. */
export type DeliveryOutcome = 'handled' | 'repeated' | 'busy'

/**
 * Does `work` unless it was done under one of these keys. Work that fails does not count and can be tried
 * again. Processes that share a store do it one at a time, and once it has succeeded, none does it again;
 * a store without `once` and `lock` knows this process alone.
 *
 * @param keys - Names of one event at one endpoint, at least one.
 */
export type DeliverOnce = (
  keys: readonly string[],
  work: () => Promise<void>,
) => Promise<DeliveryOutcome>

/** Makes the {@link DeliverOnce} of a store. */
export function createDeliverOnce(store: SessionStore, now: () => number): DeliverOnce {
  const memory = createMemoryStore({ now })
  const { once = memory.once, lock = memory.lock } = store
  return async (keys, work) => {
    const name = String(keys[0])
    const release = await storeAnswer(() => lock.acquire(name, HELD_SECONDS))
    if (!release) return 'busy'
    try {
      for (const key of keys) {
        if (await storeAnswer(() => once.isConsumed(key))) return 'repeated'
      }
      await work()
      for (const key of keys) await storeAnswer(() => once.consume(key, REMEMBERED_SECONDS))
      return 'handled'
    } finally {
      // A lock that cannot be released ends by itself.
      await Promise.resolve(storeAnswer(release)).catch(() => {})
    }
  }
}
