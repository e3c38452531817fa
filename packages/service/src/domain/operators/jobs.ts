import { type HeldJob, type Job, type JobKind, type JobUsers, jobKinds } from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import type { Found, SearchCursor } from '../../store/user-search.ts'
import { endAllSessions } from '../users/accounts.ts'
import { setDisabled, usersById } from '../users/users.ts'
import { entryOf, note } from '../writes/audit.ts'
import { type DomainContext, nowMicros, type Scope } from '../writes/context.ts'
import { found, ServiceError } from '../writes/errors.ts'
import { newId } from '../writes/ids.ts'
import type { RequestedMail, Support } from './support.ts'

export { type Job, type JobKind, jobKinds }

/** The most users that are counted before a job begins. */
export const MAX_COUNTED = 10_000

/** The action of a job that begins. */
export const JOB_BEGIN = 'job.begin'

/** How long a process holds a job from one user to the next. */
const HOLD_SECONDS = 30

/** How many users one step reads. */
const STEP = 100

/** How many refusals are kept with their reasons. */
const MAX_FAILURES = 50

/** The users whom a job would concern, counted up to {@link MAX_COUNTED} and one more. */
export async function countUsers(scope: Scope, users: JobUsers): Promise<number> {
  let count = 0
  for (let after: SearchCursor | undefined; ; ) {
    const { items, next } = await usersBehind(scope, users, after, 1_000)
    count += items.length
    if (next === undefined || count > MAX_COUNTED) return count
    after = next
  }
}

/** Begins a job: what it does is done in the background, user by user, by any process. */
export async function beginJob(
  scope: Scope,
  { kind, users, total }: Pick<Job, 'kind' | 'users' | 'total'>,
): Promise<Job> {
  const { context, tenantId, actor } = scope
  const { name, requestId, address, userAgent } = actor
  const job: Job = {
    ...{ id: newId('job', context.clock), tenantId, kind, users, total },
    actor: { name, requestId, address, userAgent },
    createdAt: nowMicros(context.clock),
    state: 'running',
    progress: { after: undefined, taken: [], done: 0, failed: 0, failures: [] },
  }
  await context.store.jobs.insert(job)
  await note(scope, JOB_BEGIN, job.id)
  context.events.emit('change', entryOf(scope, JOB_BEGIN, job.id))
  return job
}

/** One job of the tenant. */
export async function getJob({ context, tenantId }: Scope, id: string): Promise<Job> {
  return found(await context.store.jobs.get(tenantId, id))
}

/** The newest jobs of the tenant. */
export function listJobs({ context, tenantId }: Scope): Promise<Job[]> {
  return context.store.jobs.list(tenantId, 50)
}

/** Carries a job on for some of its users. */
export async function takeStep(
  context: DomainContext,
  support: Pick<Support, 'sendMail'>,
  job: HeldJob,
  isStopped: () => boolean,
): Promise<void> {
  const { tenantId, actor, progress, kind, createdAt } = job
  const scope: Scope = { context, actor: actor as Scope['actor'], tenantId }
  if (!(await context.store.tenants.get(tenantId))) {
    job.state = 'stopped'
    return
  }
  const { items, next } = await usersBehind(scope, job.users, progress.after, STEP)
  for (const user of items) {
    // Another process, or the next start, goes on from here.
    if (isStopped()) return
    if (progress.taken.includes(user.id)) continue
    if (user.createdAt <= createdAt) await take(scope, support, job, user)
    progress.taken.push(user.id)
    const isMail = mailOf(kind) !== undefined
    if (isMail && !(await context.store.jobs.keep(job, HOLD_SECONDS))) return
  }
  Object.assign(progress, { after: next, taken: [] })
  if (next === undefined) job.state = 'done'
}

async function take(
  scope: Scope,
  support: Pick<Support, 'sendMail'>,
  { kind, progress }: HeldJob,
  user: User,
): Promise<void> {
  try {
    const mail = mailOf(kind)
    if (mail) await support.sendMail(scope, user.id, { kind: mail })
    else if (kind === 'end-sessions') await endAllSessions(scope, user.id)
    else await setDisabled(scope, user.id, kind === 'disable')
    progress.done++
  } catch (error) {
    if (!(error instanceof ServiceError) || error.statusCode >= 500) throw error
    progress.failed++
    if (progress.failures.length < MAX_FAILURES) {
      progress.failures.push({ userId: user.id, reason: error.message })
    }
  }
}

/** The message that a job sends. */
function mailOf(kind: JobKind): RequestedMail | undefined {
  return kind === 'reset' || kind === 'verify' || kind === 'invite' ? kind : undefined
}

/** Some of the users; with `next` there are more. */
async function usersBehind(
  scope: Scope,
  users: JobUsers,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Found<User>> {
  if ('ids' in users) return { items: await usersById(scope, users.ids), next: undefined }
  const { tenantId, context } = scope
  return context.store.users.search(tenantId, { ...users.query, inside: true }, { after, limit })
}
