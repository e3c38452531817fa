import type { Background } from '../../background/index.ts'
import type { HeldJob } from '../../store/jobs.ts'
import type { DomainContext } from '../writes/context.ts'
import { discardOldImports } from './import-jobs.ts'
import { discardOldNotices, isCheck, type JobHelp, takeStep } from './jobs.ts'

/**
 * The interval, in milliseconds, between searches for jobs that other processes have begun or left.
 */
const POLL_MS = 10_000

/** The interval, in milliseconds, between deletions of old uploads and jobs. */
const DISCARD_MS = 10 * 60_000

/**
 * The lease of a job, in seconds. After a process dies, another one takes over its jobs when the
 * lease expires.
 */
const LEASE_SECONDS = 30

/**
 * The maximum number of checks of uploads that this process has begun, each with some megabytes in
 * memory, and the seconds that a further one waits.
 */
const CHECKS = { atOnce: 4, waitSeconds: 5 }

/**
 * Starts the worker that runs jobs in this process. The worker also continues jobs that earlier
 * processes left. Jobs take turns, one step at a time; a check of an upload gives way to other jobs
 * after each of its parts. If a process is killed, the users of its
 * last step may be handled twice. Disabling a user twice changes nothing, but a message may be sent
 * twice.
 */
export function followJobs(context: DomainContext, background: Background, help: JobHelp): void {
  const { jobs } = context.store
  const enter = createTurns()
  let checks = 0

  /**
   * Runs a step while no other step runs. An operator may stop the job while it waits for its turn,
   * and its lease may end. So the job is read again when its turn has come.
   */
  async function inTurn(job: HeldJob, isClosed: () => boolean): Promise<void> {
    let leave = await enter()
    async function giveWay(): Promise<void> {
      leave()
      leave = await enter()
    }
    try {
      const current = await jobs.held(job)
      if (!current) return
      Object.assign(job, current)
      await takeStep(context, help, job, isClosed, giveWay)
    } finally {
      leave()
    }
    await jobs.keep(job, 0)
  }

  /** Runs a check, unless too many have begun. */
  async function check(job: HeldJob, isClosed: () => boolean): Promise<void> {
    if (checks >= CHECKS.atOnce) return void (await jobs.keep(job, CHECKS.waitSeconds))
    checks++
    try {
      await inTurn(job, isClosed)
    } finally {
      checks--
    }
  }

  const worker = background.work<HeldJob>('jobs', {
    queue: {
      async claim(_, seconds, held) {
        // Other processes take the other jobs.
        if (!held.every(isCheck)) return []
        const job = await jobs.claim(seconds)
        return job ? [job] : []
      },
      recall: jobs.recall,
      renew: (held, seconds) => Promise.all(held.map((job) => jobs.renew(job, seconds))),
    },
    leaseSeconds: LEASE_SECONDS,
    atOnce: CHECKS.atOnce + 1,
    claimAtOnce: 1,
    pollMs: POLL_MS,
    async attempt(job, isClosed) {
      await (isCheck(job) ? check : inTurn)(job, isClosed)
      // Another job may have waited for the end of this step.
      return 0
    },
  })
  context.events.on('job', worker.wake)
  worker.wake()
  const discarding = background.every(DISCARD_MS, 'deleting old uploads and jobs', async () => {
    await discardOldImports(context)
    await discardOldNotices(context)
  })
  void discarding.wake()
}

/** Returns the function that waits for a turn, in the order of its calls, and resolves to its end. */
function createTurns(): () => Promise<() => void> {
  let last = Promise.resolve()
  return async () => {
    const before = last
    const turn = Promise.withResolvers<void>()
    last = turn.promise
    await before
    return turn.resolve
  }
}
