import { untraced } from '../telemetry/tracing.ts'

/** Work that is done again and again. It can ask whether it is to stop. */
export type Task = (isClosed: () => boolean) => Promise<unknown>

/** A task that is repeated. */
export interface Repeated {
  /** Runs the task now, or again after the run in progress. Resolves afterwards. */
  wake(): Promise<void>
  /** Stops the repetition; resolves after the run in progress. */
  close(): Promise<void>
}

/**
 * Repeats a task at an interval, the first time after `ms`. A task never overlaps itself: a tick during a run is left
 * out.
 *
 * @param report - Logs a failure, after which the task is run at the next tick.
 * @param mayBeDue - Asked at each tick, so that an idle task sends nothing. Default: always.
 */
export function every(
  ms: number,
  task: Task,
  report: (error: unknown) => void,
  mayBeDue: () => boolean = () => true,
): Repeated {
  let running: Promise<void> | undefined
  let isWanted = false
  let isClosed = false

  async function run(): Promise<void> {
    while (isWanted && !isClosed) {
      isWanted = false
      await task(() => isClosed)
    }
  }

  function wake(): Promise<void> {
    isWanted = true
    // Not in the trace of the request that woke it.
    running ??= untraced(run)
      .catch(report)
      .finally(() => {
        running = undefined
      })
    return running
  }

  const ticking = setInterval(() => {
    if (!running && mayBeDue()) void wake()
  }, ms)
  ticking.unref()
  return {
    wake,
    async close() {
      isClosed = true
      clearInterval(ticking)
      await running
    },
  }
}

/** Works under a lease, which is renewed meanwhile. No renewal outlives the work. */
export async function underLease<T>(
  seconds: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  // Where it cannot be renewed, what the work leads to cannot be stored either.
  const renewing = every((seconds * 1_000) / 3, renew, () => {})
  try {
    return await work()
  } finally {
    await renewing.close()
  }
}
