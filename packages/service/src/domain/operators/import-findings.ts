import type { ImportRow, RowFault } from '@latchkey/management/import'
import type {
  ImportCheck,
  ImportFault,
  ImportJob,
  KeptMember,
  UpdateCheck,
} from '../../store/jobs.ts'
import type { User } from '../../store/records.ts'
import type { RowOutcome } from '../users/import-changes.ts'
import type { Scope } from '../writes/context.ts'
import { sentenceIn } from '../writes/reasons/index.ts'
import { emailOf, keptOf, PART_RECORDS, rowReason } from './import-records.ts'

/** The maximum numbers of rows of each kind that a check shows. */
const SHOWN = { creatable: 10, existing: 50, faults: 100, kept: 100 }

/**
 * The outcomes of a row without a fault: its user would be created, or exists. All other rows have
 * 0.
 */
const CREATABLE = 1
const EXISTING = 2

/** Collects the outcome and the faults of each row. */
export function createFindings(total: number) {
  const outcomes = new Uint8Array(total)
  const faults = new Map<number, ImportFault>()
  const firstCreatable: ImportCheck['firstCreatable'] = []
  const firstExisting: ImportCheck['firstExisting'] = []
  const count = (kind: number) => outcomes.reduce((sum, one) => sum + (one === kind ? 1 : 0), 0)

  function refuse(
    { row, line }: Pick<ImportFault, 'row' | 'line'>,
    cause: Pick<ImportFault, 'reason' | 'because'>,
  ): void {
    faults.set(row, { row, line, ...cause })
    outcomes[row] = 0
  }

  return {
    /**
     * Records the reason why a row cannot be imported. It replaces the earlier faults of the row.
     */
    refuse,
    /** Adds a fault after the earlier faults of a row, which cannot be imported. */
    addFault(line: number, fault: RowFault, row: number): void {
      const added = rowReason(fault)
      const before = faults.get(row)
      const sentences = [before?.reason, sentenceIn('en', added)].filter((one) => one !== undefined)
      const because = before ? before.because && [...before.because, added] : [added]
      refuse({ row, line }, { reason: sentences.join('; '), because })
    },
    /**
     * Records that a row can be imported, and the existing user with its address, if there is one.
     */
    accept(row: ImportRow, user: User | undefined): void {
      outcomes[row.row] = user ? EXISTING : CREATABLE
      const { line } = row
      const email = emailOf(row)
      if (user && firstExisting.length < SHOWN.existing) {
        firstExisting.push({ line, email, id: user.id })
      } else if (!user && firstCreatable.length < SHOWN.creatable) {
        firstCreatable.push({ line, email, name: String(row.user.profile.name ?? '') })
      }
    },
    /** Whether a row can be imported and its user exists already. */
    isExisting: ({ row }: ImportRow): boolean => outcomes[row] === EXISTING,
    faults: (): ImportFault[] => [...faults.values()],
    /** The number of rows of each kind, and the first rows of each kind. */
    result() {
      const firstFaults = [...faults.values()].sort((one, other) => one.row - other.row)
      const isGood = ({ line }: { line: number }) =>
        !firstFaults.some((fault) => fault.line === line)
      return {
        ...{ creatable: count(CREATABLE), existing: count(EXISTING), faulty: faults.size },
        firstCreatable: firstCreatable.filter(isGood),
        firstExisting: firstExisting.filter(isGood),
        firstFaults: firstFaults.slice(0, SHOWN.faults),
      }
    },
  }
}

/** Counts the changes that an import would make to existing users. */
export function createPreview() {
  const members = new Map<string, number>()
  const counts = { changed: 0, conflicts: 0, unchanged: 0, blocked: 0 }
  const kept: KeptOfRow[] = []
  return {
    /** All members that would keep their value because of a conflict. */
    kept,
    add(row: ImportRow, outcome: Exclude<RowOutcome, { kind: 'refused' }>): void {
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

export type Preview = ReturnType<typeof createPreview>

interface KeptOfRow {
  row: number
  one: KeptMember
}

/**
 * Stores the findings of each part with its records, and replaces earlier findings. Resolves to
 * `false` if the job was no longer held.
 */
export async function keepFound(
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
    // An earlier check with other choices may have stored findings.
    const [part] = await jobs.parts(job.id, n, 1)
    const before = part ? part.result.faults.length + (part.result.kept?.length ?? 0) : 0
    if (!part || before + own.length + kept.length === 0) continue
    if (!(await hold())) return false
    await jobs.setPart(job.id, { ...part, result: { created: 0, existing: 0, faults: own, kept } })
  }
  return true
}
