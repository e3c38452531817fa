import type { BulkJob, Job } from '../../domain/operators/jobs.ts'
import type { Permission } from '../../domain/operators/roles.ts'
import type { ImportJob } from '../../store/jobs.ts'
import { many, message, type Sentence, type Text } from '../texts/index.ts'
import { bulkActs } from './job-words.ts'

/** The path of the page of an import. */
export function importPath({ tenantId, id }: Pick<ImportJob, 'tenantId' | 'id'>): string {
  return `/console/t/${tenantId}/users/import?job=${id}`
}

/** The path of the page that shows the progress and the result of a job. */
export function jobPath(job: BulkJob | ImportJob): string {
  return job.kind === 'import' ? importPath(job) : `/console/t/${job.tenantId}/jobs?job=${job.id}`
}

/** The permission that the page of a job needs. */
export function needsOfJob({ kind }: BulkJob | ImportJob): Permission {
  return kind === 'import' ? 'edit' : 'read'
}

/** The sentence for the entry `job.begin`. It says what the job did, not that it began. */
export function sentenceOfJob(job: BulkJob | ImportJob): Sentence {
  if (job.kind === 'import') return '{who} imported users by a job: {on}.'
  if (!('undoes' in job.work)) return bulkActs[job.kind].told
  return job.kind === 'enable'
    ? '{who} undid a job, which enabled users again: {on}.'
    : '{who} undid a job, which disabled users again: {on}.'
}

/**
 * The text for `{on}` in the sentence of a job: the numbers of users done and refused, and whether
 * the job still runs or was stopped.
 */
export function numberOfJob(job: BulkJob | ImportJob): Text {
  const { done, failed } = countsOf(job)
  const users = many(done, 'one user', '{count} users')
  const counted = failed === 0 ? users : message('{users}, {failed} refused', { users, failed })
  return message(states[job.state], { users: counted })
}

/** The text about the users of a job, by its state. `{users}` is the number of users done. */
const states: Readonly<Record<Job['state'], Sentence>> = {
  done: '{users}',
  waiting: '{users} so far',
  running: '{users} so far',
  stopped: '{users}, then it was stopped',
}

/**
 * The numbers of users done and refused. In an import, users whom it created or changed count as
 * done.
 */
function countsOf(job: BulkJob | ImportJob): { done: number; failed: number } {
  if (job.kind !== 'import') return job.progress
  const { created, changed = 0, refused } = job.progress
  return { done: created + changed, failed: refused }
}
