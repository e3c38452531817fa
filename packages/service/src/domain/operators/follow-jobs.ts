import type { Background } from '../../background/index.ts'
import type { HeldJob } from '../../store/jobs.ts'
import type { DomainContext } from '../writes/context.ts'
import { discardOldImports } from './import-jobs.ts'
import { type JobHelp, takeStep } from './jobs.ts'

/**
 * The interval, in milliseconds, between searches for jobs that other processes have begun or left.
 */
const POLL_MS = 10_000

/** The interval, in milliseconds, between deletions of uploads that have waited too long. */
const DISCARD_MS = 10 * 60_000

/**
 * The lease of a job, in seconds. After a process dies, another one takes over its jobs when the
 * lease expires.
 */
const LEASE_SECONDS = 30

/**
 * Starts the worker that runs jobs in this process. The worker also continues jobs that earlier
 * processes left. Jobs take turns, one step at a time. If a process is killed, the users of its
 * last step may be handled twice. Disabling a user twice changes nothing, but a message may be sent
 * twice.
 */
export function followJobs(context: DomainContext, background: Background, help: JobHelp): void {
  const { jobs } = context.store
  const worker = background.work<HeldJob>('jobs', {
    queue: {
      async claim(_, seconds) {
        const job = await jobs.claim(seconds)
        return job ? [job] : []
      },
      recall: jobs.recall,
      renew: (held, seconds) => Promise.all(held.map((job) => jobs.renew(job, seconds))),
    },
    leaseSeconds: LEASE_SECONDS,
    atOnce: 1,
    pollMs: POLL_MS,
    async attempt(job, isClosed) {
      await takeStep(context, help, job, isClosed)
      await jobs.keep(job, 0)
      return job.state === 'running' ? 0 : undefined
    },
  })
  context.events.on('job', worker.wake)
  worker.wake()
  const discarding = background.every(DISCARD_MS, 'deleting old uploads', () =>
    discardOldImports(context),
  )
  void discarding.wake()
}
