import {
  checkRecords,
  FileFault,
  type ImportRow,
  OTHER_VALUES,
  toImport,
} from '@latchkey/management/import'
import type { HeldJob, ImportJob, ImportProgress } from '../../store/jobs.ts'
import { updateByExport } from '../users/import-changes.ts'
import { findUsers } from '../users/users.ts'
import type { Scope } from '../writes/context.ts'
import { sentenceIn } from '../writes/reasons/index.ts'
import { createFindings, createPreview, keepFound, type Preview } from './import-findings.ts'
import {
  causeOf,
  emailOf,
  fileReason,
  isOneOperator,
  openRecords,
  type ReadChange,
  type ReadUser,
  rowOptions,
  rowsOf,
  toChange,
} from './import-records.ts'

/**
 * Limits of the display: `ignored` columns in the preview; `columns` whose values need a meaning,
 * and the `length` of these values.
 */
const SHOWN = { ignored: 50, columns: 10, length: 200 }

/**
 * Checks all rows of an import in one step. It changes only the job: the counts go into its
 * progress, the faults into its parts. If the process dies during the check, another one starts the
 * check over.
 */
export async function checkRows(
  scope: Scope,
  job: HeldJob<ImportJob>,
  { readUser, readChange }: { readUser: ReadUser; readChange: ReadChange },
  hold: () => Promise<boolean>,
): Promise<void> {
  const { context } = scope
  const { jobs } = context.store
  const options = rowOptions(context, job)
  const findings = createFindings(job.total)
  let isLost = false

  /** Reads the records and rows of each part. Stops when the job is no longer held. */
  async function* parts() {
    for (let n = 0; n < job.work.parts; n++) {
      const [part] = await jobs.parts(job.id, n, 1)
      isLost = !part || !(await hold())
      if (!part || isLost) return
      const read = openRecords(context, job.id, part)
      yield { read, rows: rowsOf(n, read, options) }
    }
  }

  function isRefused(row: ImportRow): boolean {
    try {
      readUser(toImport(row))
      return false
    } catch (error) {
      findings.refuse(row, causeOf(error))
      return true
    }
  }

  async function* records() {
    for await (const { read, rows } of parts()) {
      const good = rows.filter((row) => row.faults.length === 0)
      const present = await findUsers(scope, good.map(emailOf))
      for (const row of good) {
        if (!isRefused(row)) findings.accept(row, present.get(emailOf(row)))
      }
      yield* read
    }
  }

  /**
   * Previews the changes to existing users without writing them, and adds the refused rows to the
   * findings.
   */
  async function previewUpdate(emptyAllows: boolean): Promise<Preview> {
    const preview = createPreview()
    const mode = { isPreview: true, isOneOperator: await isOneOperator(scope) }
    for await (const { rows } of parts()) {
      const present = rows.filter(findings.isExisting)
      const users = present.map((row) => readChange(toChange(row, options, emptyAllows)))
      for (const [i, outcome] of (await updateByExport(scope, users, mode)).entries()) {
        const row = present[i] as ImportRow
        if (outcome.kind === 'refused') findings.refuse(row, causeOf(outcome.cause))
        else preview.add(row, outcome)
      }
    }
    return preview
  }

  try {
    const { fileName, isUpdate } = job.work
    const { addFault } = findings
    const { ignored, saysStates, emptyAllows } = await checkRecords(
      fileName,
      records(),
      options,
      addFault,
    )
    if (isLost) return
    const preview = isUpdate ? await previewUpdate(emptyAllows) : undefined
    const found = { faults: findings.faults(), kept: preview?.kept ?? [] }
    if (isLost || !(await keepFound(job, jobs, found, hold))) return
    const update = preview?.result()
    const shown = ignored.slice(0, SHOWN.ignored)
    job.progress = {
      ...job.progress,
      phase: 'checked',
      fence: job.fence + 1,
      check: { ...findings.result(), saysStates, emptyAllows, ignored: shown, update },
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    const unclear = toDecide(error)
    const because = fileReason(error)
    const problem = sentenceIn('en', because)
    job.progress = { ...job.progress, phase: 'mapping', problem, because, unclear }
  }
  job.state = 'waiting'
}

/**
 * The choices that a fault requires: the unclear values of each column, and `null` for the column
 * as a whole.
 */
function toDecide({ unclear }: FileFault): ImportProgress['unclear'] {
  return [...unclear].slice(0, SHOWN.columns).flatMap(([column, values]) => {
    const shown = [...values.keys()].filter(
      (value) => value !== OTHER_VALUES && value.length <= SHOWN.length,
    )
    return [...shown, null].map((value) => ({ column, value }))
  })
}
