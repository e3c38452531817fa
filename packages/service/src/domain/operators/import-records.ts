import {
  algorithms,
  createMapping,
  createStates,
  type FileFault,
  type FirebaseParameters,
  type ImportRow,
  type RowFault,
  type RowOptions,
  type SourceRecord,
  type StateFlag,
  saysState,
  toImport,
  toRow,
} from '@latchkey/management/import'
import type { ImportFault, ImportJob, ImportState, JobPart, KeptMember } from '../../store/jobs.ts'
import { needsSecondOperator } from '../tenants/tenant-features.ts'
import type { Conflict, ExportedUser } from '../users/import-differences.ts'
import type { UserToImport } from '../users/import-user.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { refusalIn } from '../writes/errors.ts'
import type { Reason, ReasonName } from '../writes/reasons/index.ts'

/** The number of records in a part. One step imports one part. */
export const PART_RECORDS = 100

/**
 * The error code of an import that was stopped because the master key of its upload was removed.
 */
export const UPLOAD_UNREADABLE = 'upload_unreadable'

/** Parses a request body of the API as a user. @throws ServiceError for an invalid body. */
export type ReadUser = (body: object) => UserToImport

/**
 * Parses a request body of the API as a user of a newer export. @throws ServiceError for an invalid
 * body.
 */
export type ReadChange = (body: object) => ExportedUser

/**
 * The options for reading records as rows, from the choices of the operator.
 *
 * @throws UnknownMasterKeyError if the Firebase parameters are sealed under a key that this process
 *   does not have.
 */
export function rowOptions(
  { vault }: Pick<DomainContext, 'vault'>,
  { id, work }: Pick<ImportJob, 'id' | 'work'>,
): RowOptions {
  const { columns, algorithm, withoutPasswords, states = [], firebase } = work
  const flags = (wanted: ImportState['meaning']): StateFlag[] =>
    states
      .filter(({ meaning }) => meaning === wanted)
      .map(({ column, value }) => [column, value ?? undefined])
  return {
    mapping: createMapping(new Map(Object.entries(columns))),
    withoutPasswords,
    // Empty, so that no column is reported as absent. The first records have every chosen column,
    // but later records may lack it.
    named: new Map(),
    hashAlgorithm: algorithms.find((one) => one === algorithm),
    ...(firebase !== undefined && { firebase: openFirebase(vault, id, firebase) }),
    states: createStates({ blocks: flags('blocks'), allows: flags('allows'), now: Date.now() }),
  }
}

/** Seals the parameters of Firebase's password hashes, to store them with an import. */
export function sealFirebase(
  { vault }: Pick<DomainContext, 'vault'>,
  jobId: string,
  parameters: FirebaseParameters,
): string {
  return vault.seal(`${purposeOf(jobId)}:firebase`, JSON.stringify(parameters))
}

function openFirebase(
  vault: DomainContext['vault'],
  jobId: string,
  sealed: string,
): FirebaseParameters {
  return JSON.parse(vault.open(`${purposeOf(jobId)}:firebase`, sealed))
}

/** Reads the records of part `n` as rows. */
export function rowsOf(
  n: number,
  records: readonly SourceRecord[],
  options: RowOptions,
): ImportRow[] {
  return records.map((record, i) => toRow(n * PART_RECORDS + i, record, options))
}

/**
 * A row as the API's body for a user of a newer export. The user is found by email address. If the
 * row says whether the user may log in, so does the body.
 *
 * @param emptyAllows - See {@link saysState}.
 */
export function toChange(row: ImportRow, options: RowOptions, emptyAllows: boolean): object {
  return {
    ...toImport(row),
    match_address: true,
    ...(saysState(row, options, emptyAllows) && { disabled: row.user.disabled === true }),
  }
}

/**
 * Whether the operator of an import can give existing users no passwords, because the tenant
 * requires two operators. The owner of a tenant can switch the rule off.
 */
export async function isOneOperator({ context, tenantId }: Scope): Promise<boolean> {
  const tenant = await context.store.tenants.get(tenantId)
  return !tenant || needsSecondOperator(tenant)
}

/** The email address of a row's user. */
export const emailOf = ({ user }: ImportRow): string => user.profile.email

/** The members of a row that are not imported, because they conflict with the existing user. */
export function keptOf(
  row: ImportRow,
  { conflicts }: { readonly conflicts: readonly Conflict[] },
): KeptMember[] {
  const { line } = row
  return conflicts.map(({ member, reason }) => ({ line, email: emailOf(row), member, reason }))
}

/** Seals records as text, because they may contain passwords. */
export function sealRecords(
  { vault }: DomainContext,
  jobId: string,
  records: readonly SourceRecord[],
): string {
  const stored = records.map(({ line, members, fault }) => [line, [...members], fault])
  return vault.seal(purposeOf(jobId), JSON.stringify(stored))
}

/** Opens the sealed records of a part. */
export function openRecords(
  { vault }: DomainContext,
  jobId: string,
  { content }: JobPart,
): SourceRecord[] {
  const stored: [number, [string, string][], RowFault | null][] = JSON.parse(
    vault.open(purposeOf(jobId), content),
  )
  return stored.map(([line, members, fault]) => ({
    line,
    members: new Map(members),
    fault: fault ?? undefined,
  }))
}

const purposeOf = (jobId: string) => `import:${jobId}`

/** The reason why a user was refused. @throws The error itself, if it is not a refusal. */
export function causeOf(cause: unknown): Pick<ImportFault, 'reason' | 'because'> {
  const { message, reason } = refusalIn(cause)
  return { reason: message, because: reason && [reason] }
}

/** The reason why a row cannot be imported. */
export function rowReason({ fault, values }: RowFault): Reason {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? rowReason(value) : value,
  ])
  return { reason: `row_${fault}`, values: Object.fromEntries(shown) }
}

/** The reason why a file cannot be imported. */
export function fileReason({ fault, values }: FileFault): Reason {
  const name: ReasonName = `file_${fault}`
  return { reason: name, values }
}
