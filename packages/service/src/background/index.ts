import { every, type Repeated, type Task } from './every.ts'
import { createWorker, type Worker, type WorkerOptions } from './worker.ts'

export { BrokenOff } from './broken-off.ts'
export { underLease } from './every.ts'
export { messagesOf, sending } from './sending.ts'
export type { Worker, WorkQueue } from './worker.ts'

/** The work of a service outside of requests. */
export interface Background {
  /** Repeats a task, as {@link every} does. A failure is logged with the name. */
  every(ms: number, name: string, task: Task, mayBeDue?: () => boolean): Repeated
  /** Starts a worker, as {@link createWorker} does. A failure is logged with the name. */
  work<T>(name: string, options: WorkerOptions<T>): Worker
  /** Stops everything. Resolves when the work in progress is done. */
  close(): Promise<void>
}

/** Creates a background that has no work yet. */
export function createBackground(logger: {
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}): Background {
  const running: { close(): Promise<void> }[] = []
  const reportOf = (task: string) => (err: unknown) =>
    logger.error({ err, task }, 'A task in the background failed; it will be tried again.')
  const reportRecalled = (task: string) => (items: number) =>
    logger.warn(
      { task, items },
      'The clock has gone back. Items that a clock ahead had put off are due now.',
    )
  function add<T extends { close(): Promise<void> }>(one: T): T {
    running.push(one)
    return one
  }
  return {
    every: (ms, name, task, mayBeDue) => add(every(ms, task, reportOf(name), mayBeDue)),
    work: (name, options) => add(createWorker(options, reportOf(name), reportRecalled(name))),
    async close() {
      await Promise.all(running.map((one) => one.close()))
    },
  }
}
