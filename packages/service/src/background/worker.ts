import { setTimeout as sleep } from 'node:timers/promises'
import { every } from './every.ts'

/** A queue of items. Any process may work on an item, but only one process at a time. */
export interface WorkQueue<T> {
  /**
   * Takes up to `limit` items that are due, so that no other process gets them for `seconds`.
   * `held`: the items that this process works on.
   */
  claim(limit: number, seconds: number, held: readonly T[]): Promise<readonly T[]>
  /** Extends the claim on items to `seconds` from now. Some claims may have expired already. */
  renew(items: readonly T[], seconds: number): Promise<unknown>
  /**
   * Corrects due times after the clock was set back: items become due whose time is further ahead
   * than this queue allows. A worker calls it at the start and twice a minute.
   *
   * @param leaseSeconds - The lease of a claimed item.
   * @returns The number of items.
   */
  recall(leaseSeconds: number): Promise<number>
  /**
   * Whether an item may be due, as known for at most a second. Without this method, `claim` is
   * always called.
   */
  mayBeDue?(): boolean
}

/** The queue and the rules of a worker. */
export interface WorkerOptions<T> {
  queue: WorkQueue<T>
  /** The lease of a claimed item, in seconds. It is renewed while the item is worked on. */
  leaseSeconds: number
  /** The maximum number of items in progress. */
  atOnce: number
  /**
   * The maximum number of items of one claim, so that other processes get items. Default: `atOnce`.
   */
  claimAtOnce?: number
  /**
   * The minimum time between two claims, so that a claim finds several items under load. Default:
   * 0.
   */
  claimEveryMs?: number
  /** The time between two checks of the queue without a call of `wake`. */
  pollMs: number
  /**
   * Works on an item and stores the outcome; a rejection is logged, and the item is claimed again
   * after its lease.
   *
   * @returns The seconds until the item is due again; `undefined` if it is finished, or becomes due
   *   by another event.
   */
  attempt(item: T, isClosed: () => boolean): Promise<number | undefined>
}

/** A worker on the items of a queue. */
export interface Worker {
  /** Checks for due items now. */
  wake(): void
  /** Resolves when every due item was tried. */
  idle(): Promise<void>
  /** Takes no more items. Resolves when the items in progress are done. */
  close(): Promise<void>
}

/** The time between two calls of `recall`. */
const RECALL_MS = 30_000

/**
 * Makes a worker. It claims due items, renews their lease during the work, and wakes when an item
 * is due again.
 *
 * If a process dies, another one claims its item after the lease. If the clock was ahead and set an
 * item's due time too late, the item is found within half a minute after the clock was set back.
 */
export function createWorker<T>(
  { queue, leaseSeconds, atOnce, attempt, pollMs, ...rest }: WorkerOptions<T>,
  report: (error: unknown) => void,
  reportRecalled: (items: number) => void,
): Worker {
  const { claimAtOnce = atOnce, claimEveryMs = 0 } = rest
  const inProgress = new Map<Promise<void>, T>()
  const timers = new Set<NodeJS.Timeout>()
  let claimedAt = Number.NEGATIVE_INFINITY
  let mayHaveMore = false
  let mayBeAhead = true
  let isClosed = false

  async function claim(): Promise<void> {
    if (mayBeAhead) await recall()
    for (;;) {
      await sleep(Math.max(0, claimedAt + claimEveryMs - performance.now()))
      const limit = Math.min(claimAtOnce, atOnce - inProgress.size)
      mayHaveMore = limit <= 0
      if (mayHaveMore || isClosed) return
      claimedAt = performance.now()
      const items = await queue.claim(limit, leaseSeconds, [...inProgress.values()])
      for (const item of items) begin(item)
      if (items.length < limit) return
    }
  }

  async function recall(): Promise<void> {
    mayBeAhead = false
    try {
      const items = await queue.recall(leaseSeconds)
      if (items > 0) reportRecalled(items)
    } catch (error) {
      mayBeAhead = true
      throw error
    }
  }

  function begin(item: T): void {
    const running = attempt(item, () => isClosed)
      .then((seconds) => seconds !== undefined && wakeIn(seconds), report)
      .then(() => {
        inProgress.delete(running)
        if (mayHaveMore) wake()
      })
    inProgress.set(running, item)
  }

  function wakeIn(seconds: number): void {
    // Items that are due later are found by polling.
    if (isClosed || seconds * 1_000 > pollMs) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      wake()
    }, seconds * 1_000)
    timer.unref()
    timers.add(timer)
  }

  const claiming = every(pollMs, claim, report, () => mayBeAhead || (queue.mayBeDue?.() ?? true))
  const renewing = every(
    (leaseSeconds * 1_000) / 3,
    () => queue.renew([...inProgress.values()], leaseSeconds),
    report,
    () => inProgress.size > 0,
  )
  const recalling = every(
    RECALL_MS,
    async () => {
      mayBeAhead = true
      wake()
    },
    report,
  )
  const wake = () => void claiming.wake()

  return {
    wake,
    async idle() {
      do {
        await claiming.wake()
        await Promise.all(inProgress.keys())
      } while (inProgress.size > 0)
    },
    async close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all([recalling.close(), claiming.close()])
      await Promise.all(inProgress.keys())
      await renewing.close()
    },
  }
}
