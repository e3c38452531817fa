import type { DomainContext } from '../writes/context.ts'
import { discardOldImports } from './import-jobs.ts'
import { carryOnJobs, type JobHelp } from './jobs.ts'

/** How often jobs are looked for that another process has begun or left. */
const POLL_MS = 10_000

/** Carries jobs on in the background. */
export interface JobFollower {
  /** Stops after the user who is under way. */
  close(): Promise<void>
}

/**
 * Starts to carry jobs on, those of earlier processes first.
 *
 * @param report - Told of failures; the job is tried again.
 */
export function followJobs(
  context: DomainContext,
  help: JobHelp,
  report: (error: unknown, message: string) => void,
): JobFollower {
  let running: Promise<void> | undefined
  let isAsked = false
  let isClosed = false

  function wake(): void {
    isAsked = true
    running ??= run().finally(() => {
      running = undefined
    })
  }

  async function run(): Promise<void> {
    while (isAsked && !isClosed) {
      isAsked = false
      await carryOnJobs(context, help, () => isClosed).catch((error: unknown) =>
        report(error, 'A job could not go on; it will be tried again.'),
      )
    }
  }

  function poll(): void {
    wake()
    discardOldImports(context).catch((error: unknown) =>
      report(error, 'Old uploads could not be deleted; it will be tried again.'),
    )
  }
  context.events.on('job', wake)
  const polling = setInterval(poll, POLL_MS)
  polling.unref()
  wake()

  return {
    async close() {
      isClosed = true
      clearInterval(polling)
      context.events.off('job', wake)
      await running
    },
  }
}
