import {
  type BulkJob,
  beginJob,
  bulkKinds,
  countUsers,
  getJob,
  isStoppedForOperator,
  type Job,
  listJobs,
  MAX_COUNTED,
  oppositeOf,
  previewUndo,
  stopJob,
  undoJob,
} from '../../../domain/operators/jobs.ts'
import { listUsers } from '../../../domain/users/users.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { knownReason, reason } from '../../../domain/writes/reasons/index.ts'
import type { ImportJob } from '../../../store/jobs.ts'
import { importPath, jobPath, needsOfJob } from '../../audit/job-entries.ts'
import { bulkActs } from '../../audit/job-words.ts'
import {
  type ConsoleRoute,
  may,
  type Result,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import type { Refused } from '../../forms/refused.ts'
import { filterNames, userFiltersIn, userQueryOf, wayWords } from '../../forms/user-filters.ts'
import type { Content, ShownJob } from '../../pages/index.ts'
import {
  asIs,
  type Message,
  many,
  message,
  refusalText,
  type Sentence,
  type Text,
} from '../../texts/index.ts'
import { countsOf } from './imports.ts'

/** The seconds after which the page of a running job is loaded again. */
const REFRESH_SECONDS = 3

export const jobRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users/bulk', confirm, { needs: 'edit' }),
  tenantForm('/users/bulk', begin, { isDangerous: true }),
  tenantForm('/jobs/stop', stop),
  tenantPage(
    '/jobs/undo',
    (call) => (call.query.has('job') ? askUndo(call, call.query.get('job') ?? '') : showJobs(call)),
    { needs: 'edit' },
  ),
  tenantForm('/jobs/undo', undo, { isDangerous: true }),
  tenantPage('/jobs', (call) => (call.query.has('job') ? showJob(call) : showJobs(call))),
]

const usersPath = ({ tenant }: TenantCall) => `/console/t/${tenant.id}/users`

/**
 * The kind of job and the users that a form chooses.
 *
 * @throws ServiceError `invalid_request` for an unknown kind or no user.
 */
function chosenIn(given: URLSearchParams): Pick<BulkJob, 'kind' | 'work'> {
  const kind = bulkKinds.find((one) => one === given.get('act'))
  if (!kind) throw new ServiceError('invalid_request', reason('job_unknown'))
  if (given.get('of') === 'all') {
    return { kind, work: { query: userQueryOf(userFiltersIn(given)) } }
  }
  const ids = given.getAll('user').filter((id) => /^usr_\w{1,60}$/.test(id))
  if (ids.length === 0) throw new ServiceError('invalid_request', reason('job_no_user'))
  return { kind, work: { ids: [...new Set(ids)].slice(0, 100) } }
}

/**
 * The number of users of a job. It is exact for all users of the tenant; a selection is counted up
 * to {@link MAX_COUNTED} + 1.
 */
async function totalOf({ scope }: TenantCall, { work }: Pick<BulkJob, 'work'>): Promise<number> {
  const isEverybody =
    'query' in work && Object.values(work.query).every((value) => value === undefined)
  if (!isEverybody) return countUsers(scope, work)
  return (await listUsers(scope, { after: undefined, limit: 1 })).total
}

/** The number of users above which the operator has to type the number before a job begins. */
const TYPED_ABOVE = 1_000

/** The number that the operator has to type as a confirmation; `undefined` for a small job. */
function numberToType(total: number): number | undefined {
  return total > TYPED_ABOVE ? (total === MAX_COUNTED + 1 ? MAX_COUNTED : total) : undefined
}

async function confirm(call: TenantCall): Promise<Result> {
  return ask(call, call.query)
}

/**
 * Shows the number of users of a job, and asks for a confirmation. A large number has to be typed.
 */
async function ask(
  call: TenantCall,
  query: URLSearchParams,
  refused: Refused = {},
): Promise<Result> {
  const { tenant } = call
  let chosen: Pick<BulkJob, 'kind' | 'work'>
  try {
    chosen = chosenIn(query)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'page', ...nothingChosen(refusalText(error), usersPath(call)) }
  }
  const total = await totalOf(call, chosen)
  const fields = [...query].filter(([name]) => ['act', 'of', 'user', ...filterNames].includes(name))
  const { search, state, way, not_since } = userFiltersIn(query)
  return {
    kind: 'page',
    name: 'bulk',
    title: message('{act}: {users}', {
      act: message(bulkActs[chosen.kind].label),
      users: inWords(total),
    }),
    data: {
      ...bulkActs[chosen.kind],
      ...{ number: inWords(total), total, fields, search, state, notSince: not_since },
      way: way && wayWords[way],
      isAll: 'query' in chosen.work,
      base: usersPath(call),
      typed: numberToType(total),
      sent: query.get('typed') ?? '',
    },
    ...refused,
    commands: [`latchkey users search --tenant ${tenant.id}`],
  }
}

function nothingChosen(text: Text, href: string): Content {
  const label: Sentence = 'Back to the users'
  const data = { message: text, link: { href, label } }
  return { name: 'message', title: 'Nothing was chosen', data }
}

async function begin(call: TenantCall): Promise<Result> {
  const chosen = chosenIn(call.form)
  const total = await totalOf(call, chosen)
  const refused = refusedNumber(call, total)
  if (refused) return ask(call, call.form, refused)
  const { id } = await beginJob(call.scope, { ...chosen, total })
  return { kind: 'redirect', to: `/console/t/${call.tenant.id}/jobs?job=${id}` }
}

/**
 * The refusal of the number that was typed; `undefined` if it is right, or if a small job needs
 * none.
 */
function refusedNumber({ form }: TenantCall, total: number): Refused | undefined {
  const typed = numberToType(total)
  const sent = (form.get('typed') ?? '').replace(/[\s.,'’]/g, '')
  if (typed === undefined || sent === String(typed)) return undefined
  const problem = message('Nothing was done: enter {number}, the number of users.', {
    number: String(typed),
  })
  return { problem, status: 422 }
}

/**
 * Shows the number of users that undoing a job would change, and the number of those who would stay
 * as they are.
 */
async function askUndo(call: TenantCall, id: string, refused: Refused = {}): Promise<Result> {
  const { kind, changed, unchanged } = await previewUndo(call.scope, id)
  const base = `/console/t/${call.tenant.id}/jobs`
  return {
    kind: 'page',
    name: 'undo-job',
    title: 'Undo a job',
    data: {
      ...bulkActs[kind],
      ...{ id, base, total: unchanged, back: `${base}?job=${id}` },
      changed: inWords(changed),
      number: inWords(unchanged),
      others: changed <= MAX_COUNTED ? changed - unchanged : undefined,
      typed: numberToType(unchanged),
      sent: call.form.get('typed') ?? '',
    },
    ...refused,
    commands: [`latchkey audit list --action job. --tenant ${call.tenant.id}`],
  }
}

async function undo(call: TenantCall): Promise<Result> {
  const id = call.form.get('job') ?? ''
  const { unchanged } = await previewUndo(call.scope, id)
  const refused = refusedNumber(call, unchanged)
  if (refused) return askUndo(call, id, refused)
  if (unchanged === 0) return askUndo(call, id)
  const begun = await undoJob(call.scope, id)
  return { kind: 'redirect', to: jobPath(begun) }
}

async function stop(call: TenantCall): Promise<Result> {
  const id = call.form.get('job') ?? ''
  await stopJob(call.scope, id)
  return { kind: 'redirect', to: `/console/t/${call.tenant.id}/jobs?job=${id}` }
}

async function showJobs(call: TenantCall): Promise<Result> {
  const { tenant, scope } = call
  return {
    kind: 'page',
    name: 'jobs',
    title: 'Jobs',
    data: {
      jobs: (await listJobs(scope)).map(shownJob),
      base: `/console/t/${tenant.id}/jobs`,
      users: usersPath(call),
    },
    commands: [`latchkey audit list --action job. --tenant ${tenant.id}`],
  }
}

async function showJob(call: TenantCall): Promise<Result> {
  const { query, scope } = call
  const job = await getJob(scope, query.get('job') ?? '')
  if (job.kind === 'import') {
    return may(call, needsOfJob(job)) ? { kind: 'redirect', to: importPath(job) } : showJobs(call)
  }
  const { progress } = job
  return {
    kind: 'page',
    name: 'job',
    title: bulkActs[job.kind].label,
    refreshSeconds: job.state === 'running' ? REFRESH_SECONDS : undefined,
    data: {
      ...shownJob(job),
      failures: progress.failures.map(({ userId, reason, because }) => ({
        userId,
        reason: knownReason(because) ?? asIs(reason),
      })),
      isWithoutOperator: isStoppedForOperator(job),
      isStopping: job.state === 'running' && job.work.isStopped === true,
      stop: `/console/t/${job.tenantId}/jobs/stop`,
      undo: oppositeOf(job) && `/console/t/${job.tenantId}/jobs/undo?job=${job.id}`,
      undoes: 'undoes' in job.work ? `/console/t/${job.tenantId}/jobs?job=${job.work.undoes}` : '',
      users: usersPath(call),
      audit: `/console/t/${job.tenantId}/audit?request=${job.id}`,
    },
    commands: [`latchkey audit list --action job. --tenant ${job.tenantId}`],
  }
}

function shownJob(job: BulkJob | ImportJob): ShownJob {
  const { id, state, createdAt, total, progress } = job
  const { done, failed } = job.kind === 'import' ? countsOf(job) : (progress as BulkJob['progress'])
  const label: Sentence = job.kind === 'import' ? 'Import users' : bulkActs[job.kind].label
  return {
    ...{ id, state, createdAt, done, failed, label, number: inWords(total) },
    ...{ href: jobPath(job), needs: needsOfJob(job) },
    stateLabel: stateLabels[state],
    isCounted: total <= MAX_COUNTED,
    total: Math.max(total, done + failed),
  }
}

const stateLabels: Readonly<Record<Job['state'], Sentence>> = {
  waiting: 'waits for you',
  running: 'running',
  done: 'done',
  stopped: 'stopped',
}

function inWords(total: number): Message {
  if (total === MAX_COUNTED + 1) return message('more than {count} users', { count: MAX_COUNTED })
  return many(total, 'one user', '{count} users')
}
