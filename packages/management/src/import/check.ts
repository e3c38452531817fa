import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createDuplicateFinder } from './duplicates.ts'
import type { Encoding } from './encoding.ts'
import { OTHER_VALUES, type SeenStates } from './file-fault.ts'
import {
  contradictionFault,
  emailFault,
  emptyFault,
  hashedFault,
  stateFault,
  unusedFault,
} from './file-faults.ts'
import { looksHashed } from './hashes.ts'
import { isPasswordTarget } from './mapping.ts'
import {
  emailKey,
  type ImportRow,
  isEmptyAllowing,
  isOpen,
  isPasswordPart,
  isStateColumn,
  type RowOptions,
  toRow,
} from './row.ts'
import { type RowFault, rowFault } from './row-fault.ts'
import { type FileFormat, readSource, type Source, type SourceRecord } from './source.ts'
import type { States } from './states.ts'

/** The source of an import, with the options that turn its records into users. */
export interface ImportFile extends RowOptions {
  source: Source
}

/**
 * Called for each fault, with its line, counted from 1, and the number of its row, counted from 0.
 */
type Report = (line: number, fault: RowFault, row: number) => void

/** The number of rows, from the first, that are searched for a column of email addresses. */
const LOOKED_AT = 100

export interface Checked {
  rows: number
  /** The number of rows with a fault, or with an email address or id that an earlier row has. */
  faulty: number
  /** The rows with the email address or id of an earlier row, each with the fault to report. */
  repeated: Map<number, RowFault>
  /** The names of columns that are not imported, at most 100. */
  ignored: string[]
  /** The number of rows whose users are imported disabled. */
  disabled: number
  /**
   * The values in columns that say who may log in, each with its number of rows. For example,
   * `status` → `ACTIVE` → 3. Values that messages cannot show are counted as {@link OTHER_VALUES}.
   */
  seen: SeenStates
  /** Whether the file has a column that says who may log in. */
  saysStates: boolean
  /** Whether all of these columns say so by an empty cell, too; see {@link saysState}. */
  emptyAllows: boolean
}

/** Yields the rows of a file, in the order of the file. */
export async function* readRows(input: ImportFile): AsyncGenerator<ImportRow> {
  let row = 0
  for await (const record of readSource(input.source)) {
    yield toRow(row++, record, input)
  }
}

/**
 * Reads the whole file and reports every fault of every row.
 *
 * @throws FileFault if the file has no rows, or cannot be imported as a whole. An Error if `--map`
 *   names a column that no row has.
 */
export async function checkFile(input: ImportFile, report: Report): Promise<Checked> {
  const { source } = input
  const checked = await checkRecords(source.name, readSource(source), input, report)
  if (checked.rows === 0) throw await emptyFault(source)
  return checked
}

/**
 * Reports every fault of every record.
 *
 * @param file - The name of the file, for messages.
 * @throws FileFault if the file cannot be imported as a whole.
 */
export async function checkRecords(
  file: string,
  records: AsyncIterable<SourceRecord>,
  input: RowOptions,
  report: Report,
): Promise<Checked> {
  const finders = { emails: createDuplicateFinder(), ids: createDuplicateFinder() }
  try {
    return await checkRows(file, records, input, report, finders)
  } finally {
    for (const finder of Object.values(finders)) finder[Symbol.dispose]()
  }
}

type DuplicateFinder = ReturnType<typeof createDuplicateFinder>

async function checkRows(
  file: string,
  records: AsyncIterable<SourceRecord>,
  input: RowOptions,
  report: Report,
  { emails, ids }: { emails: DuplicateFinder; ids: DuplicateFinder },
): Promise<Checked> {
  const faults = inOrder(report)
  const ignored = new Set<string>()
  const absent = new Map([...input.named].map(([target, column]) => [column, target]))
  const addresses = new Set<string>()
  const columns = new Set<string>()
  let hasEmails = false
  let rows = 0
  let faulty = 0
  let disabled = 0
  const stateColumns = new Set<string>()
  const seen = createStateCounts(input.states)
  const unclear = createStateCounts(input.states)
  for await (const record of records) {
    const row = toRow(rows++, record, input)
    for (const [column, value] of record.members) {
      absent.delete(column)
      if (columns.size < 20) columns.add(column)
      const mapped = input.mapping(column)
      const isLeftOut = input.withoutPasswords && isPasswordTarget(mapped)
      const target = isLeftOut ? undefined : mapped
      const isState = isOpen(mapped) && input.states.concerns(column)
      const isLeft = target === undefined && !isState && !isPasswordPart(column, input)
      if (isLeft && ignored.size < 100) ignored.add(column)
      if (target === 'email') hasEmails = true
      else if (rows <= LOOKED_AT && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) addresses.add(column)
      if (target === 'password' && looksHashed(value)) throw hashedFault(file, row.line, column)
    }
    for (const [column, value] of row.states) {
      if (isStateColumn(column, input)) stateColumns.add(column)
      seen.add(column, value)
    }
    if (row.contradiction) throw contradictionFault(file, row.line, row.contradiction)
    for (const [column, value] of row.unclear) unclear.add(column, value)
    if (row.user.disabled) disabled++
    for (const fault of row.faults) faults.add(row, fault)
    if (row.faults.length > 0) {
      faulty++
      continue
    }
    emails.add(emailKey(row.user.profile.email), row.row, row.line)
    if (row.oldId) ids.add(row.oldId, row.row, row.line)
  }
  for (const [column, target] of absent) {
    const others = [...ignored].slice(0, 20).join(', ')
    const found = others ? ` Columns that go nowhere: ${others}.` : ''
    throw new Error(
      `--map ${target}=${column}: no row has anything in a column "${column}".${found}`,
    )
  }
  const [unused] = input.states.unused()
  if (rows > 0 && unused !== undefined) throw unusedFault(unused)
  if (unclear.counts.size > 0) throw stateFault(file, unclear.counts)
  if (columns.size > 0 && !hasEmails) throw emailFault(file, addresses, columns)
  const repeated = new Map<number, RowFault>()
  for (const [what, finder] of [
    ['same_email', emails],
    ['same_id', ids],
  ] as const) {
    for (const { row, line, firstLine } of finder.find()) {
      const reason = rowFault(what, { line: firstLine })
      faults.add({ line, row }, reason)
      if (!repeated.has(row)) faulty++
      repeated.set(row, reason)
    }
  }
  faults.end()
  return {
    rows,
    faulty,
    repeated,
    ignored: [...ignored],
    disabled,
    seen: seen.counts,
    saysStates: stateColumns.size > 0,
    emptyAllows:
      stateColumns.size > 0 && [...stateColumns].every((column) => isEmptyAllowing(column, input)),
  }
}

/**
 * The number of values of a column that are counted separately. All further values are counted
 * together.
 */
const MAX_VALUES = 20

function createStateCounts({ shows }: States) {
  const counts = new Map<string, Map<string, number>>()
  return {
    counts,
    add(column: string, value: string): void {
      const values = counts.get(column) ?? new Map<string, number>()
      counts.set(column, values)
      const text = value.trim()
      const isCounted = values.has(text) || values.size < MAX_VALUES
      const label = isCounted && shows(column, text) ? text : OTHER_VALUES
      values.set(label, (values.get(label) ?? 0) + 1)
    },
  }
}

/**
 * The number of faults that are sorted by line together. When this number is reached, these faults
 * are reported.
 */
const MAX_HELD = 100_000

/**
 * Creates a reporter that sorts faults by line. Faults wait until `end` is called, because
 * duplicates are found only after the last row.
 */
function inOrder(report: Report) {
  const held: { line: number; fault: RowFault; row: number }[] = []
  function flush(): void {
    held.sort((one, other) => one.line - other.line)
    for (const { line, fault, row } of held.splice(0)) report(line, fault, row)
  }
  return {
    add({ line, row }: Pick<ImportRow, 'line' | 'row'>, fault: RowFault): void {
      held.push({ line, fault, row })
      if (held.length === MAX_HELD) flush()
    },
    end: flush,
  }
}

/** Creates the source for a file on this machine. */
export function fileSource(file: string, format: FileFormat, encoding: Encoding): Source {
  const read = () => createReadStream(file, { highWaterMark: 256 * 1_024 })
  return { name: file, format, encoding, read }
}

/** The SHA-256 hash of a file, in Base64url. */
export async function digestFile({ read }: Source): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of read()) digest.update(chunk)
  return digest.digest('base64url')
}
