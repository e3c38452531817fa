import {
  checkRecords,
  FileFault,
  type ImportRow,
  OTHER_VALUES,
  type RowFault,
  toImport,
} from '@latchkey/management/import'
import type {
  HeldJob,
  ImportCheck,
  ImportFault,
  ImportJob,
  ImportProgress,
  KeptMember,
  UpdateCheck,
} from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import { type Brought, bringUsers } from '../users/import-changes.ts'
import { findUsers } from '../users/users.ts'
import type { Scope } from '../writes/context.ts'
import { sentenceIn } from '../writes/reasons/index.ts'
import {
  causeOf,
  emailOf,
  fileReason,
  keptOf,
  openRecords,
  PART_RECORDS,
  type ReadChange,
  type ReadUser,
  rowOptions,
  rowReason,
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

  function report(line: number, row: number, fault: Omit<ImportFault, 'row' | 'line'>): void {
    faults.set(row, { row, line, ...fault })
    outcomes[row] = 0
  }

  /** Adds a fault to those that the row has already. */
  function reportFault(line: number, fault: RowFault, row: number): void {
    const added = rowReason(fault)
    const before = faults.get(row)
    const sentences = [before?.reason, sentenceIn('en', added)].filter((one) => one !== undefined)
    const because = before ? before.because && [...before.because, added] : [added]
    report(line, row, { reason: sentences.join('; '), because })
  }

  function take(row: ImportRow, user: User | undefined): void {
    try {
      readUser(toImport(row))
    } catch (error) {
      report(row.line, row.row, causeOf(error))
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
  async function previewUpdate(saysStates: boolean): Promise<Preview> {
    const preview = createPreview()
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
          report(row.line, row.row, causeOf(outcome.cause))
        } else preview.add(row, outcome)
      }
    }
    return preview
  }

  try {
    const { ignored, saysStates } = await checkRecords(
      job.work.fileName,
      records(),
      options,
      reportFault,
    )
    if (isLost) return
    const preview = job.work.isUpdate ? await previewUpdate(saysStates) : undefined
    const found = { faults: [...faults.values()], kept: preview?.kept ?? [] }
    if (isLost || !(await keepFound(job, jobs, found, hold))) return
    const count = (kind: number) => outcomes.reduce((sum, one) => sum + (one === kind ? 1 : 0), 0)
    const firstFaults = [...faults.values()].sort((one, other) => one.row - other.row)
    const isGood = ({ line }: { line: number }) => !firstFaults.some((fault) => fault.line === line)
    job.progress = {
      ...job.progress,
      phase: 'checked',
      fence: job.fence + 1,
      check: {
        ...{ creatable: count(CREATABLE), existing: count(EXISTING), faulty: faults.size },
        saysStates,
        ignored: ignored.slice(0, 50),
        firstCreatable: firstCreatable.filter(isGood),
        firstExisting: firstExisting.filter(isGood),
        firstFaults: firstFaults.slice(0, SHOWN.faults),
        update: preview?.result(),
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
function createPreview() {
  const members = new Map<string, number>()
  const counts = { changed: 0, conflicts: 0, unchanged: 0, blocked: 0 }
  const kept: KeptOfRow[] = []
  return {
    /** All members that stay as they are. */
    kept,
    add(row: ImportRow, outcome: Exclude<Brought, { kind: 'refused' }>): void {
      if (outcome.kind === 'updated') {
        counts.changed++
        if (outcome.members.includes('disabled=true')) counts.blocked++
        for (const one of outcome.members) members.set(one, (members.get(one) ?? 0) + 1)
      } else if (outcome.kind === 'conflict') counts.conflicts++
      else counts.unchanged++
      if (!('conflicts' in outcome)) return
      for (const one of keptOf(row, outcome)) kept.push({ row: row.row, one })
    },
    result: (): UpdateCheck => ({
      ...counts,
      members: [...members].sort(([, one], [, other]) => other - one).slice(0, SHOWN.kept),
      firstKept: kept.slice(0, SHOWN.kept).map(({ one }) => one),
      kept: kept.length,
    }),
  }
}

type Preview = ReturnType<typeof createPreview>

interface KeptOfRow {
  row: number
  one: KeptMember
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

/** Writes what was found in each part beside its records, in place of earlier faults; answers whether the job was still held. */
async function keepFound(
  job: ImportJob,
  jobs: Scope['context']['store']['jobs'],
  found: { readonly faults: readonly ImportFault[]; readonly kept: readonly KeptOfRow[] },
  hold: () => Promise<boolean>,
): Promise<boolean> {
  const partOf = ({ row }: { row: number }) => Math.floor(row / PART_RECORDS)
  const byPart = Map.groupBy(found.faults, partOf)
  const keptByPart = Map.groupBy(found.kept, partOf)
  for (let n = 0; n < job.work.parts; n++) {
    const own = byPart.get(n)?.sort((one, other) => one.row - other.row) ?? []
    const kept = keptByPart.get(n)?.map(({ one }) => one) ?? []
    // A check before this one, with other choices, may have left some.
    const [part] = await jobs.parts(job.id, n, 1)
    const before = part ? part.result.faults.length + (part.result.kept?.length ?? 0) : 0
    if (!part || before + own.length + kept.length === 0) continue
    if (!(await hold())) return false
    await jobs.setPart(job.id, { ...part, result: { created: 0, existing: 0, faults: own, kept } })
  }
  return true
}
