import {
  checkRecords,
  FileFault,
  type ImportRow,
  OTHER_VALUES,
  toImport,
} from '@latchkey/management/import'
import type {
  HeldJob,
  ImportCheck,
  ImportFault,
  ImportJob,
  ImportProgress,
  UpdateCheck,
} from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import { type Brought, bringUsers } from '../users/import-changes.ts'
import { findUsers } from '../users/users.ts'
import type { Scope } from '../writes/context.ts'
import { refusalIn } from '../writes/errors.ts'
import { type Reason, sentenceIn } from '../writes/reasons/index.ts'
import {
  emailOf,
  fileReason,
  openRecords,
  PART_RECORDS,
  type ReadChange,
  type ReadUser,
  rowOptions,
  rowsOf,
  toChange,
} from './import-records.ts'

/** How many rows of each kind the preview shows, and how many columns and characters a choice of meanings has. */
const SHOWN = { creatable: 10, existing: 50, faults: 100, columns: 10, length: 200, kept: 100 }

/** The outcome that a row would have. */
const CREATABLE = 1
const EXISTING = 2

/**
 * Checks all rows of an import in one step, and changes nothing but the job: its progress has the numbers, its parts
 * the faults. If the process ends in the middle, another one starts again.
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
  const outcomes = new Uint8Array(job.total)
  const faults = new Map<number, ImportFault>()
  const firstCreatable: ImportCheck['firstCreatable'] = []
  const firstExisting: ImportCheck['firstExisting'] = []
  let isLost = false

  function report(line: number, reason: string, row: number, because?: Reason): void {
    const before = faults.get(row)
    const all = before ? { reason: `${before.reason}; ${reason}` } : { reason, because }
    faults.set(row, { row, line, ...all })
    outcomes[row] = 0
  }

  function take(row: ImportRow, user: User | undefined): void {
    try {
      readUser(toImport(row))
    } catch (error) {
      const { message, reason } = refusalIn(error)
      report(row.line, message, row.row, reason)
      return
    }
    outcomes[row.row] = user ? EXISTING : CREATABLE
    const { line } = row
    const email = emailOf(row)
    if (user && firstExisting.length < SHOWN.existing) {
      firstExisting.push({ line, email, id: user.id })
    } else if (!user && firstCreatable.length < SHOWN.creatable) {
      firstCreatable.push({ line, email, name: String(row.user.profile.name ?? '') })
    }
  }

  async function* records() {
    for (let n = 0; n < job.work.parts; n++) {
      const [part] = await jobs.parts(job.id, n, 1)
      isLost = !part || !(await hold())
      if (!part || isLost) return
      const read = openRecords(context, job.id, part)
      const good = rowsOf(n, read, options).filter((row) => row.faults.length === 0)
      const present = await findUsers(scope, good.map(emailOf))
      for (const row of good) take(row, present.get(emailOf(row)))
      yield* read
    }
  }

  /** The changes to those who are there. Nothing is written. */
  async function previewUpdate(saysStates: boolean): Promise<UpdateCheck> {
    const preview = createPreview(saysStates)
    for (let n = 0; n < job.work.parts; n++) {
      const [part] = await jobs.parts(job.id, n, 1)
      isLost = !part || !(await hold())
      if (!part || isLost) break
      const rows = rowsOf(n, openRecords(context, job.id, part), options).filter(
        ({ row }) => outcomes[row] === EXISTING,
      )
      const users = rows.map((row) => readChange(toChange(row, saysStates)))
      for (const [i, outcome] of (await bringUsers(scope, users, true)).entries()) {
        const row = rows[i] as ImportRow
        if (outcome.kind === 'refused') {
          const { message, reason } = refusalIn(outcome.cause)
          report(row.line, message, row.row, reason)
        } else preview.add(row, outcome)
      }
    }
    return preview.result()
  }

  try {
    const { ignored, saysStates } = await checkRecords(
      job.work.fileName,
      records(),
      options,
      report,
    )
    if (isLost) return
    const update = job.work.isUpdate ? await previewUpdate(saysStates) : undefined
    if (isLost || !(await keepFaults(job, jobs, [...faults.values()], hold))) return
    const count = (kind: number) => outcomes.reduce((sum, one) => sum + (one === kind ? 1 : 0), 0)
    const firstFaults = [...faults.values()].sort((one, other) => one.row - other.row)
    const isGood = ({ line }: { line: number }) => !firstFaults.some((fault) => fault.line === line)
    job.progress = {
      ...job.progress,
      phase: 'checked',
      fence: job.fence + 1,
      check: {
        ...{ creatable: count(CREATABLE), existing: count(EXISTING), faulty: faults.size },
        ignored: ignored.slice(0, 50),
        firstCreatable: firstCreatable.filter(isGood),
        firstExisting: firstExisting.filter(isGood),
        firstFaults: firstFaults.slice(0, SHOWN.faults),
        update,
      },
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

/** Counts what would become of users who are there. */
function createPreview(saysStates: boolean) {
  const members = new Map<string, number>()
  const counts = { changed: 0, conflicts: 0, unchanged: 0, blocked: 0 }
  const firstKept: UpdateCheck['firstKept'] = []
  return {
    add(row: ImportRow, outcome: Exclude<Brought, { kind: 'refused' }>): void {
      if (outcome.kind === 'updated') {
        counts.changed++
        if (outcome.members.includes('disabled=true')) counts.blocked++
        for (const one of outcome.members) members.set(one, (members.get(one) ?? 0) + 1)
      } else if (outcome.kind === 'conflict') counts.conflicts++
      else counts.unchanged++
      if (!('conflicts' in outcome)) return
      const { line } = row
      for (const { member, reason } of outcome.conflicts) {
        if (firstKept.length === SHOWN.kept) return
        firstKept.push({ line, email: emailOf(row), member, reason })
      }
    },
    result: (): UpdateCheck => ({
      saysStates,
      ...counts,
      members: [...members].sort(([, one], [, other]) => other - one).slice(0, SHOWN.kept),
      firstKept,
    }),
  }
}

/** The values of a fault whose meaning is to be chosen, and their columns as a whole. */
function toDecide({ unclear }: FileFault): ImportProgress['unclear'] {
  return [...unclear].slice(0, SHOWN.columns).flatMap(([column, values]) => {
    const shown = [...values.keys()].filter(
      (value) => value !== OTHER_VALUES && value.length <= SHOWN.length,
    )
    return [...shown, null].map((value) => ({ column, value }))
  })
}

/** Writes the faults of each part beside its records, in place of those from before; answers whether the job was still held. */
async function keepFaults(
  job: ImportJob,
  jobs: Scope['context']['store']['jobs'],
  faults: readonly ImportFault[],
  hold: () => Promise<boolean>,
): Promise<boolean> {
  const byPart = Map.groupBy(faults, ({ row }) => Math.floor(row / PART_RECORDS))
  for (let n = 0; n < job.work.parts; n++) {
    const own = byPart.get(n)?.sort((one, other) => one.row - other.row) ?? []
    // A check before this one, with other choices, may have left faults.
    const [part] = await jobs.parts(job.id, n, 1)
    if (!part || part.result.faults.length + own.length === 0) continue
    if (!(await hold())) return false
    await jobs.setPart(job.id, { ...part, result: { created: 0, existing: 0, faults: own } })
  }
  return true
}
