import { untraced } from '../telemetry/tracing.ts'

/** The work of a repeated task. It can ask `isClosed` whether to stop. */
export type Task = (isClosed: () => boolean) => Promise<unknown>

/** The handle of a repeated task. */
export interface Repeated {
  /**
   * Runs the task now or, if it is running, once more after the current run. Resolves afterwards.
   */
  wake(): Promise<void>
  /** Stops the repetition. Resolves after the run in progress. */
  close(): Promise<void>
}

/**
 * Repeats a task at an interval, the first time after `ms`. A task never overlaps itself: a tick is
 * skipped while the task runs.
 *
 * @param report - Logs a failure. The next tick runs the task again.
 * @param mayBeDue - Checked at each tick, so that an idle task sends no query. Default: always
 *   `true`.
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
    // The run does not belong to the trace of the request that called `wake`.
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

/** Runs work under a lease, and renews the lease until the work is done. */
export async function underLease<T>(
  seconds: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  // A failed renewal is not reported: the result of the work cannot be stored then either.
  const renewing = every((seconds * 1_000) / 3, renew, () => {})
  try {
    return await work()
  } finally {
    await renewing.close()
  }
}
