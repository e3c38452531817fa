import {
  algorithms,
  createMapping,
  createStates,
  type ImportRow,
  type RowOptions,
  type SourceRecord,
  type StateFlag,
  toRow,
  withoutPasswords,
} from '@latchkey/management/import'
import type { ImportState, ImportWork, JobPart } from '../../store/jobs.ts'
import type { UserToImport } from '../users/import-user.ts'
import type { DomainContext } from '../writes/context.ts'

/** How many records a part has, which are imported in one step. */
export const PART_RECORDS = 100

/** The code of an import that has ended because the master key of its upload was removed. */
export const UPLOAD_UNREADABLE = 'upload_unreadable'

/** Reads the body that the API takes for a user. @throws ServiceError for one that no user can have. */
export type ReadUser = (body: object) => UserToImport

/** Makes rows of records as the operator has chosen. */
export function rowOptions({
  columns,
  algorithm,
  withoutPasswords: isWithout,
  states = [],
}: ImportWork): RowOptions {
  const mapping = createMapping(new Map(Object.entries(columns)))
  const flags = (wanted: ImportState['meaning']): StateFlag[] =>
    states
      .filter(({ meaning }) => meaning === wanted)
      .map(({ column, value }) => [column, value ?? undefined])
  return {
    mapping: isWithout ? withoutPasswords(mapping) : mapping,
    withoutPasswords: isWithout,
    // A column that was chosen stands in the first records; it may be empty in all others.
    named: new Map(),
    hashAlgorithm: algorithms.find((one) => one === algorithm),
    states: createStates({ blocks: flags('blocks'), allows: flags('allows'), now: Date.now() }),
  }
}

/** The rows of a part. */
export function rowsOf(
  n: number,
  records: readonly SourceRecord[],
  options: RowOptions,
): ImportRow[] {
  return records.map((record, i) => toRow(n * PART_RECORDS + i, record, options))
}

/** The address of a row. */
export const emailOf = ({ user }: ImportRow): string => user.profile.email

/** Records as text, sealed: they may hold passwords. */
export function sealRecords(
  { vault }: DomainContext,
  jobId: string,
  records: readonly SourceRecord[],
): string {
  const stored = records.map(({ line, members, fault }) => [line, [...members], fault])
  return vault.seal(purposeOf(jobId), JSON.stringify(stored))
}

/** The records of a part. */
export function openRecords(
  { vault }: DomainContext,
  jobId: string,
  { content }: JobPart,
): SourceRecord[] {
  const stored: [number, [string, string][], string | null][] = JSON.parse(
    vault.open(purposeOf(jobId), content),
  )
  return stored.map(([line, members, fault]) => ({
    line,
    members: new Map(members),
    fault: fault ?? undefined,
  }))
}

const purposeOf = (jobId: string) => `import:${jobId}`
