import type { AuditEntry } from '../../store/records.ts'
import type { DomainContext } from '../writes/context.ts'
import { carryOnJobs, JOB_BEGIN } from './jobs.ts'
import type { Support } from './support.ts'

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
  support: Pick<Support, 'sendMail'>,
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
      await carryOnJobs(context, support, () => isClosed).catch((error: unknown) =>
        report(error, 'A job could not go on; it will be tried again.'),
      )
    }
  }

  function onChange({ action }: AuditEntry): void {
    if (action === JOB_BEGIN) setImmediate(wake)
  }
  context.events.on('change', onChange)
  const polling = setInterval(wake, POLL_MS)
  polling.unref()
  wake()

  return {
    async close() {
      isClosed = true
      clearInterval(polling)
      context.events.off('change', onChange)
      await running
    },
  }
}
