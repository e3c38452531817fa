import {
  FileFault,
  readFirebaseParameters,
  rowFault,
  type SourceRecord,
} from '@latchkey/management/import'
import type { ImportJob, ImportWork, JobPart } from '../../store/jobs.ts'
import type { AuditEntry } from '../../store/records.ts'
import { entryOf } from '../writes/audit.ts'
import { type DomainContext, nowMicros, type Scope } from '../writes/context.ts'
import { found, ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { UnknownMasterKeyError } from '../writes/vault.ts'
import {
  fileReason,
  openRecords,
  PART_RECORDS,
  sealFirebase,
  sealRecords,
} from './import-records.ts'
import { insertJob } from './new-job.ts'

/** The maximum number of records in an upload. */
const MAX_RECORDS = 500_000

/** The maximum number of characters in a record, so that a part fits into memory. */
const MAX_RECORD_CHARACTERS = 100_000

const TOO_LONG = rowFault('too_long', { most: MAX_RECORD_CHARACTERS })

/** The period, in microseconds, for which an upload waits for the choices of its operator. */
const WAITING_MICROS = 86_400 * 1e6

/** The choices of an operator for an upload. */
export interface ImportChoices
  extends Omit<ImportWork, 'fileName' | 'parts' | 'firebase' | 'isStopped'> {
  /**
   * The hash parameters as Firebase shows them. An empty text keeps the stored ones; `null` deletes
   * them.
   */
  firebase: string | null
}

/**
 * Stores the sealed records of a file in parts, with a job that waits for the choices of its
 * operator. If the file cannot be read to its end, the job and its parts are deleted.
 *
 * @throws ServiceError `invalid_request` for an empty or unreadable file, `request_too_large` for
 *   too many records, `conflict` if the job was deleted meanwhile.
 */
export async function uploadImport(
  scope: Scope,
  fileName: string,
  records: AsyncIterable<SourceRecord>,
): Promise<ImportJob> {
  const { store, clock } = scope.context
  const job = await insertJob<ImportJob>(scope, {
    tenantId: scope.tenantId,
    kind: 'import',
    work: { fileName, parts: 0, columns: {}, algorithm: '', withoutPasswords: false },
    total: 0,
    state: 'waiting',
    progress: {
      ...{ phase: 'mapping', part: 0, since: nowMicros(clock), fence: 0 },
      ...{ created: 0, existing: 0, refused: 0 },
    },
  })
  try {
    let batch: SourceRecord[] = []
    let parts = 0
    let total = 0
    const flush = async () => {
      await store.jobs.addPart(job.id, parts++, sealRecords(scope.context, job.id, batch))
      batch = []
    }
    for await (const record of records) {
      if (++total > MAX_RECORDS) throw tooMany()
      batch.push(sizeOf(record) > MAX_RECORD_CHARACTERS ? tooLong(record) : record)
      if (batch.length === PART_RECORDS) await flush()
    }
    if (batch.length > 0) await flush()
    if (total === 0) throw new ServiceError('invalid_request', reason('import_empty'))
    const full = { ...job, work: { ...job.work, parts }, total }
    if (!(await store.jobs.resume(full, full.progress))) throw gone()
    return full
  } catch (error) {
    await store.jobs.discard(scope.tenantId, job.id)
    if (error instanceof FileFault) throw new ServiceError('invalid_request', fileReason(error))
    throw error
  }
}

/** The import with this id. @throws ServiceError `not_found`. */
export async function getImport({ context, tenantId }: Scope, id: string): Promise<ImportJob> {
  const job = found(await context.store.jobs.get(tenantId, id))
  return found(job.kind === 'import' ? job : undefined)
}

/**
 * The records of an upload's first part; empty after the import deleted them. Returns `undefined`
 * if this process does not have their master key.
 */
export async function firstRecords(
  { context }: Scope,
  { id }: ImportJob,
): Promise<readonly SourceRecord[] | undefined> {
  const [first] = await context.store.jobs.parts(id, 0, 1)
  if (!first || first.content === '') return []
  try {
    return openRecords(context, id, first)
  } catch (error) {
    if (error instanceof UnknownMasterKeyError) return undefined
    throw error
  }
}

/** Up to 10 parts of an import, from part `n` on. Each part has the rows that were not imported. */
export function importParts({ context }: Scope, { id }: ImportJob, n: number): Promise<JobPart[]> {
  return context.store.jobs.parts(id, n, 10)
}

/**
 * Starts the check of an upload with these choices, in the background.
 *
 * @throws ServiceError `invalid_request` for incomplete parameters of Firebase, `conflict` if the
 *   upload no longer waits.
 */
export async function checkImport(
  scope: Scope,
  job: ImportJob,
  { firebase, ...choices }: ImportChoices,
): Promise<ImportJob> {
  const sealed =
    firebase === '' ? job.work.firebase : firebase && readFirebase(scope, job, firebase)
  const progress = {
    ...job.progress,
    phase: 'checking',
    check: undefined,
    problem: undefined,
    because: undefined,
    unclear: undefined,
  } as const
  const work = { ...job.work, ...choices, firebase: sealed ?? undefined }
  return advance(scope, { ...job, work, progress }, job.progress)
}

function readFirebase({ context }: Scope, { id }: ImportJob, text: string): string {
  try {
    return sealFirebase(context, id, readFirebaseParameters(text))
  } catch (error) {
    if (error instanceof FileFault) throw new ServiceError('invalid_request', fileReason(error))
    throw error
  }
}

/**
 * Starts the import of a checked upload, in the background.
 *
 * @throws ServiceError `conflict` if the upload is not checked or no longer waits.
 */
export async function beginImport(scope: Scope, job: ImportJob): Promise<ImportJob> {
  if (job.progress.phase !== 'checked') throw gone()
  const since = nowMicros(scope.context.clock)
  const progress = { ...job.progress, phase: 'importing', part: 0, since } as const
  const { name, requestId, address, userAgent } = scope.actor
  const begun = { ...job, actor: { name, requestId, address, userAgent }, progress }
  return advance(scope, begun, job.progress, entryOf(scope, 'job.begin', job.id))
}

/** Whether an import can be stopped: it imports users now. */
export function isStoppable({ state, progress, work }: ImportJob): boolean {
  return state === 'running' && progress.phase === 'importing' && !work.isStopped
}

/**
 * Stops a running import after its current part of at most {@link PART_RECORDS} records. Imported
 * users stay, and the upload is deleted.
 *
 * @throws ServiceError `conflict` if the import is not running.
 */
export async function stopImport(scope: Scope, id: string): Promise<ImportJob> {
  const job = await getImport(scope, id)
  if (job.state === 'running' && job.work.isStopped) return job
  if (!isStoppable(job)) throw notRunning()
  const stopped: ImportJob = { ...job, work: { ...job.work, isStopped: true } }
  const entry = entryOf(scope, 'job.stop', id)
  if (await scope.context.store.jobs.setWork(stopped, job.work, entry)) return stopped
  // Another request may have stopped the import meanwhile.
  const now = await getImport(scope, id)
  if (!now.work.isStopped) throw notRunning()
  return now
}

const notRunning = () => new ServiceError('conflict', reason('job_not_running'))

/** Deletes a waiting upload. */
export function discardImport({ context, tenantId }: Scope, id: string): Promise<void> {
  return context.store.jobs.discard(tenantId, id)
}

/** Deletes uploads that have waited for a day. */
export function discardOldImports({ store, clock }: DomainContext): Promise<void> {
  return store.jobs.discardBefore(nowMicros(clock) - WAITING_MICROS)
}

/** Lets a waiting import run. `audit`: the entry of its start, if the start is audited. */
async function advance(
  { context }: Scope,
  job: ImportJob,
  before: ImportJob['progress'],
  audit?: AuditEntry,
): Promise<ImportJob> {
  const { jobs } = context.store
  const running: ImportJob = { ...job, state: 'running' }
  if (job.state !== 'waiting' || !(await jobs.resume(running, before, audit))) throw gone()
  context.events.emit('job')
  return running
}

function sizeOf({ members }: SourceRecord): number {
  let size = 0
  for (const [name, value] of members) size += name.length + value.length
  return size
}

function tooLong({ line, members }: SourceRecord): SourceRecord {
  const kept = [...members].filter(([name, value]) => name.length + value.length < 1_000)
  return { line, members: new Map(kept.slice(0, 20)), fault: TOO_LONG }
}

function tooMany(): ServiceError {
  return new ServiceError('request_too_large', reason('import_too_many'))
}

function gone(): ServiceError {
  return new ServiceError('conflict', reason('import_gone'))
}
