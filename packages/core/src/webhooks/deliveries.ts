import { answeringStore, inTime } from '../errors/deadline.ts'
import { LatchkeyError } from '../errors/errors.ts'
import type { Log } from '../log/log.ts'
import { createMemoryStore } from '../session/stores/memory-store.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import { storeAnswer, storeError } from '../session/stores/store-answer.ts'

/**
 * The seconds for which a handled event is remembered: longer than the service waits between two
 * attempts (24 hours and a fifth). An unchanged copy of a request is refused by its timestamp after
 * five minutes.
 */
const REMEMBERED_SECONDS = 172_800

/**
 * The seconds that one process may handle an event before another may begin. The service waits 15
 * seconds for the response.
 */
const HELD_SECONDS = 60

/** The outcome of a delivery: handled now, handled before, or another process is handling it. */
export type DeliveryOutcome = 'handled' | 'repeated' | 'busy'

/** The function of the application that handles an event. */
export interface EventWork {
  /** The name of the option with this function, for the error if the work is late. */
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * Runs `work` unless it has succeeded under one of these keys. Work that fails can be tried again.
 * Of the processes that share a store, one at a time runs it, under a lock by the first key. A
 * store without `once` and `lock` protects only within this process. Late work continues after the
 * error, and the lock is held until the work ends or the lock expires.
 *
 * @param keys - Names of one event at one endpoint, at least one.
 * @throws {@link LatchkeyError} with `LATCHKEY_ANSWER_LATE` for work that is late.
 * @throws {@link SessionStoreError} for a store that fails or is late.
 */
export type DeliverOnce = (keys: readonly string[], work: EventWork) => Promise<DeliveryOutcome>

/** The parts that {@link createDeliverOnce} needs. */
export interface DeliveryParts {
  readonly store: SessionStore
  readonly log: Log
  readonly answerSeconds: number
  readonly now: () => number
}

/**
 * Makes the function that handles each event once, with the lock and the replay cache of a store.
 */
export function createDeliverOnce(parts: DeliveryParts): DeliverOnce {
  const { log, answerSeconds, now } = parts
  const memory = createMemoryStore({ now })
  const store = answeringStore(parts.store, answerSeconds, { name: 'store' })
  const { once = memory.once, lock = memory.lock } = store
  const isRemembered = async (keys: readonly string[]): Promise<boolean> => {
    for (const key of keys) if (await storeAnswer(() => once.isConsumed(key))) return true
    return false
  }
  const remember = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await storeAnswer(() => once.consume(key, REMEMBERED_SECONDS))
  }
  return async (keys, { name, run }) => {
    const release = await storeAnswer(() => lock.acquire(String(keys[0]), HELD_SECONDS))
    if (!release) return 'busy'
    /** The lock is held until this settles, which may be after the caller got an error. */
    let done: Promise<unknown> = Promise.resolve()
    let isLate = false
    try {
      if (await isRemembered(keys)) return 'repeated'
      const working = run()
      const remembered = working.then(() => remember(keys))
      done = remembered
      await inTime(name, working, answerSeconds)
      await remembered
      return 'handled'
    } catch (error) {
      isLate = error instanceof LatchkeyError && error.code === 'LATCHKEY_ANSWER_LATE'
      throw error
    } finally {
      const free = (): unknown => storeAnswer(release)
      // A lock that cannot be released expires.
      const freed = done.then(free, free).catch((error: unknown) => log.failed(storeError(error)))
      // Unless the work continues, the response waits until the lock is released, so that the next
      // copy of the event finds it free.
      if (!isLate) await freed
    }
  }
}
