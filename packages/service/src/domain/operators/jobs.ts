import {
  type BulkJob,
  type BulkKind,
  bulkKinds,
  type HeldJob,
  type ImportJob,
  type Job,
  type JobUsers,
  type RoleJob,
} from '../../store/jobs.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { Found, SearchCursor } from '../../store/user-search.ts'
import { endAllSessions } from '../users/accounts.ts'
import { setDisabled, usersById } from '../users/users.ts'
import { entryOf } from '../writes/audit.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found, refusalIn, ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import type { ReadChange, ReadUser } from './import-records.ts'
import { deleteUpload, stepOfImport } from './import-step.ts'
import { insertJob, tellOfMove } from './new-job.ts'
import { operatorMay } from './operators.ts'
import type { RequestedMail, Support } from './support.ts'

export { type BulkJob, type BulkKind, bulkKinds, type Job }

/** The maximum number of users that are counted before a job begins. */
export const MAX_COUNTED = 10_000

/** The seconds for which a process holds a job, counted from the last extension. */
const HOLD_SECONDS = 30

/** The number of users that one step reads. */
const STEP = 100

/** The maximum number of refusals that are stored with their reasons. */
const MAX_FAILURES = 50

/**
 * Counts the users of a job, 1,000 at a time. Stops when the count exceeds {@link MAX_COUNTED}, and
 * returns one more than that.
 */
export async function countUsers(scope: Scope, users: JobUsers): Promise<number> {
  let count = 0
  for (let after: SearchCursor | undefined; ; ) {
    const { items, next } = await usersBehind(scope, users, after, 1_000)
    count += items.length
    if (next === undefined || count > MAX_COUNTED) return Math.min(count, MAX_COUNTED + 1)
    after = next
  }
}

/** Stores a job for many users. Any process runs it in the background, user by user. */
export async function beginJob(
  scope: Scope,
  { kind, work, total }: Pick<BulkJob, 'kind' | 'work' | 'total'>,
): Promise<BulkJob> {
  const job: Omit<BulkJob, 'id' | 'actor' | 'createdAt'> = {
    ...{ tenantId: scope.tenantId, kind, work, total },
    state: 'running',
    progress: { after: undefined, taken: [], done: 0, failed: 0, failures: [] },
  }
  return insertJob<BulkJob>(scope, job, JOB_BEGIN)
}

/** The kinds of jobs that can be undone, each with the kind that undoes it. */
const opposites: Partial<Record<BulkKind, BulkKind>> = { disable: 'enable', enable: 'disable' }

/**
 * The effect of undoing a job: the kind of the new job, and numbers of users, each counted up to
 * {@link MAX_COUNTED} + 1.
 */
export interface Undoing {
  readonly kind: BulkKind
  /** The number of users that the job changed. */
  readonly changed: number
  /**
   * The number of changed users about whom no decision was made since. Only these are changed back.
   */
  readonly unchanged: number
}

/** The kind of job that undoes a job. `undefined` if the job cannot be undone, or still runs. */
export function oppositeOf(job: BulkJob | ImportJob): BulkKind | undefined {
  if (job.kind === 'import' || job.state === 'running') return undefined
  return opposites[job.kind]
}

/**
 * Counts the users that undoing a job would change.
 *
 * @throws ServiceError `conflict` when the job cannot be undone.
 */
export async function previewUndo(scope: Scope, id: string): Promise<Undoing> {
  const kind = oppositeOf(await getJob(scope, id))
  if (!kind) {
    throw new ServiceError('conflict', reason('job_not_undone'))
  }
  const { audit } = scope.context.store
  return { kind, ...(await audit.countUnchanged(scope.tenantId, id, MAX_COUNTED + 1)) }
}

/**
 * Begins a job that undoes an earlier job for the users that it changed. Users about whom a
 * decision was made since are left out.
 *
 * @throws ServiceError `conflict` when the earlier job cannot be undone.
 */
export async function undoJob(scope: Scope, id: string): Promise<BulkJob> {
  const { kind, unchanged } = await previewUndo(scope, id)
  return beginJob(scope, { kind, work: { undoes: id }, total: unchanged })
}

/**
 * Stops a job for many users after its current step of at most 100 users. Users who were handled
 * already stay changed.
 *
 * @throws ServiceError `conflict` when the job is an import or no longer runs.
 */
export async function stopJob(scope: Scope, id: string): Promise<void> {
  const job = await getJob(scope, id)
  if (job.kind === 'import' || job.state !== 'running') throw ended()
  if (job.work.isStopped) return
  const { tenantId, work } = job
  const { jobs } = scope.context.store
  const stopped = { tenantId, id, work: { ...work, isStopped: true as const } }
  if (await jobs.setWork(stopped, work, entryOf(scope, 'job.stop', id))) return
  // Another request may have stopped the job meanwhile.
  if (!(await getJob(scope, id)).work.isStopped) throw ended()
}

const ended = () => new ServiceError('conflict', reason('job_not_running'))

/** Whether a job was stopped because the operator who began it may no longer do it. */
export function isStoppedForOperator(job: BulkJob | ImportJob): boolean {
  if (job.state !== 'stopped' || job.work.isStopped) return false
  return job.kind !== 'import' || job.progress.phase !== 'unreadable'
}

/** The job of the tenant with this id. @throws ServiceError `not_found`. */
export async function getJob(
  { context, tenantId }: Scope,
  id: string,
): Promise<BulkJob | ImportJob> {
  const job = found(await context.store.jobs.get(tenantId, id))
  return found(isShown(job) ? job : undefined)
}

/** The jobs whose start is among these audit entries, by job id. */
export async function jobsIn(
  { store }: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<ReadonlyMap<string, BulkJob | ImportJob>> {
  const ids = new Set(entries.filter(isJobBegin).map(({ target }) => target))
  if (ids.size === 0) return new Map()
  const jobs = (await store.jobs.some([...ids])).filter(isShown)
  return new Map(jobs.map((job) => [job.id, job]))
}

/**
 * Whether an entry records the start of a job. The log shows the entries about the job's users
 * below it.
 */
export function isJobBegin({ action }: Pick<StoredAuditEntry, 'action'>): boolean {
  return action === JOB_BEGIN
}

const JOB_BEGIN = 'job.begin'

/** The newest jobs of the tenant, at most 50. */
export async function listJobs({ context, tenantId }: Scope): Promise<(BulkJob | ImportJob)[]> {
  return (await context.store.jobs.list(tenantId, 50)).filter(isShown)
}

const isShown = (job: Job): job is BulkJob | ImportJob => !isNotice(job)

/** Whether a job only sends a message of the service. */
function isNotice({ kind }: Pick<Job, 'kind'>): boolean {
  return NOTICES.includes(kind)
}

const NOTICES: readonly Job['kind'][] = ['tell-role', 'tell-move']

/** The parts of the service that jobs use. */
export interface JobHelp {
  readonly support: Pick<Support, 'sendMail' | 'tellOfRole' | 'tellOfMove'>
  readonly readUser: ReadUser
  readonly readChange: ReadChange
}

/**
 * Runs one step of a job. A job is stopped if its tenant was deleted, or if the operator who began it
 * may no longer change the users of the tenant. A job that only sends a message of the service is
 * deleted afterwards.
 *
 * @param giveWay - Called between the parts of a check, so that steps of other jobs can run.
 */
export async function takeStep(
  context: DomainContext,
  { support, readUser, readChange }: JobHelp,
  job: HeldJob,
  isStopped: () => boolean,
  giveWay: () => Promise<void> = async () => {},
): Promise<void> {
  const { tenantId } = job
  const scope: Scope = { context, actor: actorOf(job), tenantId }
  if (!(await context.store.tenants.get(tenantId))) {
    job.state = 'stopped'
    return
  }
  if (!(await mayGoOn(context, job))) return stopForOperator(scope, job)
  switch (job.kind) {
    case 'import':
      return stepOfImport(scope, job, { readUser, readChange }, async () => {
        if (isCheck(job)) await giveWay()
        return isStopped() ? false : context.store.jobs.keep(job, HOLD_SECONDS)
      })
    case 'tell-role':
      await tellOfRole(scope, support, job)
      return endNotice(context, job)
    case 'tell-move':
      await tellOfMove(scope, support.tellOfMove, job)
      return endNotice(context, job)
    default:
      return takeUsers(scope, support, job, isStopped)
  }
}

/**
 * Whether the next step of a job is the check of an upload. A check keeps what it has found in
 * memory, so it is one step from the first row to the last.
 */
export function isCheck(job: Job): boolean {
  return job.kind === 'import' && job.progress.phase === 'checking'
}

/**
 * Whether the operator who began a job may still change the users of its tenant. A job of the
 * service itself, and the check of an upload, which changes no user, need no operator.
 */
async function mayGoOn({ store }: DomainContext, job: HeldJob): Promise<boolean> {
  if (isNotice(job)) return true
  if (job.kind === 'import' && job.progress.phase !== 'importing') return true
  const [, id] = /^operator:(.+)$/.exec(job.actor.name) ?? []
  if (id === undefined) return true
  const operator = await store.operators.get(id)
  return operator !== undefined && operatorMay(operator, 'edit', job.tenantId)
}

/** Stops a job whose operator lost the permission for it. The service is the actor of its entry. */
async function stopForOperator(scope: Scope, job: HeldJob): Promise<void> {
  if (job.kind === 'import') await deleteUpload(scope, job)
  const actor = { name: 'service', requestId: job.id }
  const entry = entryOf({ ...scope, actor }, 'job.stop', job.id)
  job.state = 'stopped'
  await scope.context.store.jobs.keep(job, HOLD_SECONDS, entry)
}

/**
 * The actor of a job's audit entries: the operator who began the job. The id of the job is the
 * request id, so that the log shows the entries about users below the start of the job. A
 * message of the service keeps the request id of its operator.
 */
function actorOf({ id, kind, actor }: Job): Scope['actor'] {
  const { requestId, ...rest } = actor
  if (!isNotice({ kind })) return { ...rest, requestId: id }
  return { ...rest, ...(requestId !== undefined && { requestId }) }
}

async function tellOfRole(
  scope: Scope,
  support: JobHelp['support'],
  job: HeldJob<RoleJob>,
): Promise<void> {
  const { operatorId, before, by } = job.work
  const current = await scope.context.store.operators.get(operatorId)
  if (current) await support.tellOfRole(scope, { operator: current.operator, before, by })
}

/**
 * Deletes a job that has sent its message. It has the IP address and the browser of its operator,
 * which stay in the audit log for a limited time.
 */
async function endNotice({ store }: DomainContext, job: HeldJob): Promise<void> {
  job.state = 'done'
  await store.jobs.remove(job)
}

/** Deletes jobs that have ended and only sent a message of the service. Earlier versions kept them. */
export function discardOldNotices({ store }: DomainContext): Promise<void> {
  return store.jobs.removeEnded(SYSTEM_TENANT_ID, NOTICES)
}

async function takeUsers(
  scope: Scope,
  support: JobHelp['support'],
  job: HeldJob<BulkJob>,
  isStopped: () => boolean,
): Promise<void> {
  const { progress, kind, createdAt } = job
  if (job.work.isStopped) {
    job.state = 'stopped'
    return
  }
  const { store } = scope.context
  const { items, next } = await usersBehind(scope, job.work, progress.after, STEP)
  for (const user of items) {
    // Another process, or this one after a restart, continues from here.
    if (isStopped()) return
    if (progress.taken.includes(user.id)) continue
    if (user.createdAt <= createdAt) await take(scope, support, job, user)
    progress.taken.push(user.id)
    const isMail = mailOf(kind) !== undefined
    if (isMail && !(await store.jobs.keep(job, HOLD_SECONDS))) return
  }
  Object.assign(progress, { after: next, taken: [] })
  if (next === undefined) job.state = 'done'
}

async function take(
  scope: Scope,
  support: JobHelp['support'],
  { kind, work, progress }: HeldJob<BulkJob>,
  user: User,
): Promise<void> {
  try {
    const mail = mailOf(kind)
    if (mail) await support.sendMail(scope, user.id, { kind: mail })
    else if (kind === 'end-sessions') await endAllSessions(scope, user.id)
    else {
      // When a job is undone, a decision about the user that was made meanwhile is kept.
      const readAs = 'undoes' in work ? user : undefined
      await setDisabled(scope, user.id, kind === 'disable', { readAs })
    }
    progress.done++
  } catch (error) {
    const { message, reason: because } = refusalIn(error)
    progress.failed++
    if (progress.failures.length < MAX_FAILURES) {
      progress.failures.push({ userId: user.id, reason: message, because })
    }
  }
}

/** The message that a kind of job sends; `undefined` if this kind sends no message. */
function mailOf(kind: BulkKind): RequestedMail | undefined {
  return kind === 'reset' || kind === 'verify' || kind === 'invite' ? kind : undefined
}

/** A page of the users of a job, behind the cursor `after`. Without `next`, it is the last page. */
async function usersBehind(
  scope: Scope,
  users: JobUsers,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Found<User>> {
  if ('undoes' in users) return usersToUndo(scope, users.undoes, after, limit)
  if ('ids' in users) return { items: await usersById(scope, users.ids), next: undefined }
  const { tenantId, context } = scope
  return context.store.users.search(tenantId, { ...users.query, inside: true }, { after, limit })
}

/**
 * A page of the users whom a job changed and about whom no decision was made since, in the order of
 * that job.
 */
async function usersToUndo(
  scope: Scope,
  jobId: string,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Found<User>> {
  const { tenantId, context } = scope
  const page = { after: Number(after?.id ?? 0), limit }
  const find = () => context.store.audit.unchangedSince(tenantId, jobId, page)
  const found = await find()
  const users = await usersById(
    scope,
    found.map(({ userId }) => userId),
  )
  // Queried again: the log now has every decision that was made before the users were read.
  const unchanged = new Set((await find()).map(({ userId }) => userId))
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    items: users.filter(({ id }) => unchanged.has(id)),
    next: last && { key: '', id: String(last.id) },
  }
}
