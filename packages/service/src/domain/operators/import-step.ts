import { type ImportRow, toImport } from '@latchkey/management/import'
import type { HeldJob, ImportFault, ImportJob, JobPart, PartResult } from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import { updateByExport } from '../users/import-changes.ts'
import type { ExportedUser } from '../users/import-differences.ts'
import { importUsers, type UserToImport } from '../users/import-user.ts'
import { findUsers } from '../users/users.ts'
import { entryOf, noteRefusal } from '../writes/audit.ts'
import { nowMicros, type Scope } from '../writes/context.ts'
import { isKeyGone } from '../writes/key-gone.ts'
import { checkRows } from './import-check.ts'
import {
  causeOf,
  emailOf,
  isOneOperator,
  keptOf,
  openRecords,
  type ReadChange,
  type ReadUser,
  rowOptions,
  rowsOf,
  toChange,
  UPLOAD_UNREADABLE,
} from './import-records.ts'

/** The parsers for request bodies of the API. */
export interface ImportReaders {
  readonly readUser: ReadUser
  readonly readChange: ReadChange
}

/**
 * Runs one step of an import: checks all rows, imports a part, or stops an import that an operator
 * has stopped or whose upload is unreadable.
 *
 * @param hold - Extends the hold on the job. Resolves to `false` if this process must stop, or
 *   another one has taken over the job.
 */
export async function stepOfImport(
  scope: Scope,
  job: HeldJob<ImportJob>,
  read: ImportReaders,
  hold: () => Promise<boolean>,
): Promise<void> {
  const { phase } = job.progress
  if (phase === 'unreadable') {
    await deleteUpload(scope, job)
    await noteRefusal(scope, UPLOAD_UNREADABLE, job.id)
    job.state = 'stopped'
    return
  }
  if (job.work.isStopped) {
    await deleteUpload(scope, job)
    job.state = 'stopped'
    return
  }
  try {
    await (phase === 'checking' ? checkRows : importPart)(scope, job, read, hold)
  } catch (error) {
    if (!(await isKeyGone(scope.context, error))) throw error
    job.progress = { ...job.progress, phase: 'unreadable' }
  }
}

/** Deletes the records and the Firebase parameters of an import that will not go on. */
export async function deleteUpload(scope: Scope, job: HeldJob<ImportJob>): Promise<void> {
  await scope.context.store.jobs.emptyParts(job.id)
  await forgetFirebase(scope, job)
}

/** Deletes the stored Firebase parameters, which only the import needs. */
async function forgetFirebase({ context }: Scope, job: HeldJob<ImportJob>): Promise<void> {
  if (job.work.firebase === undefined) return
  const { jobs } = context.store
  const forget = ({ work, ...one }: ImportJob): Promise<boolean> =>
    jobs.setWork({ ...one, work: { ...work, firebase: undefined } }, work)
  if (await forget(job)) return
  // An operator has stopped the import since this step has read it.
  const stopped = await jobs.held(job)
  if (stopped?.kind === 'import') await forget(stopped)
}

/**
 * Imports the next part, and deletes its records. If a process is killed in a part, another one
 * imports that part again. Users that the killed process created are recognized by their creation
 * time, so that each is counted once.
 */
async function importPart(
  scope: Scope,
  job: HeldJob<ImportJob>,
  read: ImportReaders,
  hold: () => Promise<boolean>,
): Promise<void> {
  const { context } = scope
  const { jobs } = context.store
  const { progress } = job
  const [part] = await jobs.parts(job.id, progress.part, 1)
  let result = part?.result
  if (part && part.content !== '') {
    // Each claim of the job raises its fence. An unexpected fence shows that an earlier claim has
    // begun this part.
    const isRetaken = job.fence !== progress.fence
    const isOurs = (user: User) => isRetaken && user.createdAt >= progress.since
    result = await importRecords(scope, job, part, read, isOurs)
    if (!(await hold())) return
    await jobs.setPart(job.id, { ...part, content: '', result })
  }
  job.progress = {
    ...progress,
    part: progress.part + 1,
    since: nowMicros(context.clock),
    // The job is released after this step, and the next claim raises its fence by one.
    fence: job.fence + 1,
    created: progress.created + (result?.created ?? 0),
    existing: progress.existing + (result?.existing ?? 0),
    refused: progress.refused + (result?.faults.length ?? 0),
    changed: (progress.changed ?? 0) + (result?.changed ?? 0),
    conflicts: (progress.conflicts ?? 0) + (result?.conflicts ?? 0),
  }
  if (job.progress.part < job.work.parts) return
  await forgetFirebase(scope, job)
  job.state = 'done'
  const { created, existing, refused, changed, conflicts } = job.progress
  const of = job.work.isUpdate ? ` (${changed} changed, ${conflicts} conflicts)` : ''
  const summary = `${created} created, ${existing} existing${of}, ${refused} refused`
  // Stored together, so that a process which dies here notes the end once.
  await jobs.keep(job, 0, entryOf(scope, 'user.import', summary))
}

async function importRecords(
  scope: Scope,
  job: ImportJob,
  part: JobPart,
  { readUser, readChange }: ImportReaders,
  isOurs: (user: User) => boolean,
): Promise<PartResult> {
  const check = job.work.isUpdate ? job.progress.check : undefined
  const known = new Map(part.result.faults.map((fault) => [fault.row, fault]))
  const faults: ImportFault[] = []
  const taken: { row: ImportRow; user: UserToImport }[] = []
  const changes: { row: ImportRow; user: ExportedUser }[] = []
  const options = rowOptions(scope.context, job)
  for (const row of rowsOf(part.n, openRecords(scope.context, job.id, part), options)) {
    const fault = known.get(row.row)
    if (fault) faults.push(fault)
    else if (check?.update) {
      changes.push({ row, user: readChange(toChange(row, options, check.emptyAllows === true)) })
    } else taken.push({ row, user: readUser(toImport(row)) })
  }
  const users = taken.map(({ user }) => user)
  const result = { created: 0, existing: 0, changed: 0, conflicts: 0, faults, kept: [] }
  if (check?.update) return bringRecords(scope, changes, result, isOurs)
  for (const [i, outcome] of (await importUsers(scope, users)).entries()) {
    const { row } = taken[i] as (typeof taken)[number]
    if (outcome.kind === 'refused') {
      faults.push({ row: row.row, line: row.line, email: emailOf(row), ...causeOf(outcome.cause) })
    } else if (outcome.kind === 'created' || isOurs(outcome.user)) result.created++
    else result.existing++
  }
  return result
}

/**
 * Creates or updates the users of a part. Users whom a killed process has already updated count as
 * unchanged.
 */
async function bringRecords(
  scope: Scope,
  changes: readonly { row: ImportRow; user: ExportedUser }[],
  result: Required<PartResult>,
  isOurs: (user: User) => boolean,
): Promise<PartResult> {
  const users = changes.map(({ user }) => user)
  const mode = { isPreview: false, isOneOperator: await isOneOperator(scope) }
  const present = await findUsers(
    scope,
    users.map(({ input }) => input.email),
  )
  for (const [i, outcome] of (await updateByExport(scope, users, mode)).entries()) {
    const { row } = changes[i] as (typeof changes)[number]
    const known = present.get(emailOf(row))
    if (outcome.kind === 'refused') {
      result.faults.push({
        row: row.row,
        line: row.line,
        email: emailOf(row),
        ...causeOf(outcome.cause),
      })
    } else if (outcome.kind === 'created' || (known && isOurs(known))) result.created++
    else {
      result.existing++
      if (outcome.kind === 'updated') result.changed++
      if (outcome.kind === 'conflict') result.conflicts++
      if ('conflicts' in outcome) result.kept.push(...keptOf(row, outcome))
    }
  }
  return result
}
