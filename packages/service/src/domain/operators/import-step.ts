import { type ImportRow, toImport } from '@latchkey/management/import'
import type { HeldJob, ImportFault, ImportJob, JobPart, PartResult } from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import { importUsers, type UserToImport } from '../users/import-user.ts'
import { note, noteRefusal } from '../writes/audit.ts'
import { nowMicros, type Scope } from '../writes/context.ts'
import { refusalIn } from '../writes/errors.ts'
import { UnknownMasterKeyError } from '../writes/vault.ts'
import { checkRows } from './import-check.ts'
import {
  emailOf,
  openRecords,
  type ReadUser,
  rowOptions,
  rowsOf,
  UPLOAD_UNREADABLE,
} from './import-records.ts'

/** Takes a step of an import: checks its rows, imports some of them, or gives an unreadable upload up. */
export async function stepOfImport(
  scope: Scope,
  job: HeldJob<ImportJob>,
  readUser: ReadUser,
  hold: () => Promise<boolean>,
): Promise<void> {
  const { phase } = job.progress
  if (phase === 'unreadable') return giveUp(scope, job)
  try {
    await (phase === 'checking' ? checkRows : importPart)(scope, job, readUser, hold)
  } catch (error) {
    if (!(error instanceof UnknownMasterKeyError)) throw error
    const inUse = await scope.context.store.sealingKeys?.list()
    // Another process has the key, and can go on.
    if (inUse?.includes(error.keyId)) throw error
    job.progress = { ...job.progress, phase: 'unreadable' }
  }
}

/** Deletes an upload that no process can read any more, which ends its import. */
async function giveUp(scope: Scope, job: HeldJob<ImportJob>): Promise<void> {
  await scope.context.store.jobs.emptyParts(job.id)
  await noteRefusal(scope, UPLOAD_UNREADABLE, job.id)
  job.state = 'stopped'
}

/**
 * Imports the next part, and forgets its records. A part that a killed process had begun is taken again: its users are
 * recognized by the time of their creation, so each counts once.
 */
async function importPart(
  scope: Scope,
  job: HeldJob<ImportJob>,
  readUser: ReadUser,
  hold: () => Promise<boolean>,
): Promise<void> {
  const { context } = scope
  const { jobs } = context.store
  const { progress } = job
  const [part] = await jobs.parts(job.id, progress.part, 1)
  let result = part?.result
  if (part && part.content !== '') {
    const isRetaken = job.fence !== progress.fence
    const isOurs = (user: User) => isRetaken && user.createdAt >= progress.since
    result = await importRecords(scope, job, part, readUser, isOurs)
    if (!(await hold())) return
    await jobs.setPart(job.id, { ...part, content: '', result })
  }
  job.progress = {
    ...progress,
    part: progress.part + 1,
    since: nowMicros(context.clock),
    fence: job.fence + 1,
    created: progress.created + (result?.created ?? 0),
    existing: progress.existing + (result?.existing ?? 0),
    refused: progress.refused + (result?.faults.length ?? 0),
  }
  if (job.progress.part < job.work.parts) return
  job.state = 'done'
  const { created, existing, refused } = job.progress
  await note(scope, 'user.import', `${created} created, ${existing} existing, ${refused} refused`)
}

async function importRecords(
  scope: Scope,
  job: ImportJob,
  part: JobPart,
  readUser: ReadUser,
  isOurs: (user: User) => boolean,
): Promise<PartResult> {
  const known = new Map(part.result.faults.map((fault) => [fault.row, fault]))
  const faults: ImportFault[] = []
  const taken: { row: ImportRow; user: UserToImport }[] = []
  for (const row of rowsOf(
    part.n,
    openRecords(scope.context, job.id, part),
    rowOptions(job.work),
  )) {
    const fault = known.get(row.row)
    if (fault) faults.push(fault)
    else taken.push({ row, user: readUser(toImport(row)) })
  }
  const users = taken.map(({ user }) => user)
  const result = { created: 0, existing: 0, faults }
  for (const [i, outcome] of (await importUsers(scope, users)).entries()) {
    const { row } = taken[i] as (typeof taken)[number]
    if (outcome.kind === 'refused') {
      const { message: reason, reason: because } = refusalIn(outcome.cause)
      faults.push({ row: row.row, line: row.line, email: emailOf(row), reason, because })
    } else if (outcome.kind === 'created' || isOurs(outcome.user)) result.created++
    else result.existing++
  }
  return result
}
