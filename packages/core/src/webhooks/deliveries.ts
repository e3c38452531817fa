import { answeringStore, inTime } from '../errors/deadline.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { Log } from '../log/log.ts'
import { createMemoryStore } from '../session/stores/memory-store.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import { storeAnswer, storeError } from '../session/stores/store-answer.ts'

/**
 * How long a handled event is remembered: longer than the service waits between two attempts (24 hours
 * and a fifth). The timestamp alone refuses a copy after five minutes.
 */
const REMEMBERED_SECONDS = 172_800

/** How long one process may handle an event before another may begin; the service waits 15 seconds. */
const HELD_SECONDS = 60

/** Whether an event was handled now, was handled before, or is being handled. */
export type DeliveryOutcome = 'handled' | 'repeated' | 'busy'

/** The function of the application that handles an event. */
export interface EventWork {
  /** The name of its option, for the error when it is late. */
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * Does `work` unless it was done under one of these keys. Work that fails does not count and can be
 * tried again. Only one of the processes that share a store does it at a time. Once it has
 * succeeded, none does it again. A store without `once` and `lock` protects only within this
 * process. Work that is late goes on after the error, and no copy begins beside it.
 *
 * @param keys - Names of one event at one endpoint, at least one.
 * @throws {@link LatchkeyError} with `LATCHKEY_ANSWER_LATE` for work that is late.
 * @throws {@link SessionStoreError} for a store that fails or is late.
 */
export type DeliverOnce = (keys: readonly string[], work: EventWork) => Promise<DeliveryOutcome>

/** The parts that events are delivered with. */
export interface DeliveryParts {
  readonly store: SessionStore
  readonly log: Log
  readonly answerSeconds: number
  readonly now: () => number
}

/** Makes the {@link DeliverOnce} of a store. */
export function createDeliverOnce(parts: DeliveryParts): DeliverOnce {
  const { log, answerSeconds, now } = parts
  const memory = createMemoryStore({ now })
  const store = answeringStore(parts.store, answerSeconds, { name: 'store' })
  const { once = memory.once, lock = memory.lock } = store
  return async (keys, { name, run }) => {
    const release = await storeAnswer(() => lock.acquire(String(keys[0]), HELD_SECONDS))
    if (!release) return 'busy'
    let held: Promise<unknown> = Promise.resolve()
    let isLate = false
    try {
      for (const key of keys) {
        if (await storeAnswer(() => once.isConsumed(key))) return 'repeated'
      }
      const working = run()
      const remembered = working.then(async () => {
        for (const key of keys) await storeAnswer(() => once.consume(key, REMEMBERED_SECONDS))
      })
      held = remembered
      await inTime(name, working, answerSeconds)
      await remembered
      return 'handled'
    } catch (error) {
      isLate = error instanceof LatchkeyError && error.code === 'LATCHKEY_ANSWER_LATE'
      throw error
    } finally {
      const free = (): unknown => storeAnswer(release)
      // A lock that cannot be released ends by itself.
      const freed = held.then(free, free).catch((error: unknown) => log.failed(storeError(error)))
      // The next copy finds the lock released, unless the work goes on.
      if (!isLate) await freed
    }
  }
}
