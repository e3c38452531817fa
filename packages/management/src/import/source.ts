import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { CsvError, type Parser, parse } from 'csv-parse'
import { type Encoding, readText } from './encoding.ts'
import { FileFault } from './file-fault.ts'
import { unescapeFormula } from './formula.ts'
import { splitJson } from './json-records.ts'

export const formats = ['csv', 'ndjson', 'json'] as const

export type FileFormat = (typeof formats)[number]

/** A record of a file: its members by name, or the reason why it cannot be read. */
export interface SourceRecord {
  line: number
  /** Nested members have names with dots, such as `profile.email`. */
  members: Map<string, string>
  fault: string | undefined
}

/** A file, or the upload of one. */
export interface Source {
  /** The name of the file, for messages. */
  name: string
  format: FileFormat
  encoding: Encoding
  read(): AsyncIterable<Buffer>
}

/** Reads a file a record at a time, so that memory does not depend on its size. */
export async function* readSource({
  name,
  format,
  encoding,
  read,
}: Source): AsyncGenerator<SourceRecord> {
  const stream = Readable.from(readText(name, read(), encoding))
  if (format === 'csv') return yield* readCsv(name, stream)
  const pieces = format === 'json' ? splitJson(name, stream) : readLines(stream)
  for await (const { line, text } of pieces) yield jsonRecord(line, text)
}

async function* readLines(stream: Readable) {
  let line = 0
  const lines = createInterface({ input: stream, crlfDelay: Infinity })
  for await (const text of lines) {
    line++
    if (text.trim() !== '') yield { line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text }
  }
  if (stream.errored) throw stream.errored
}

/** A name of a column that is an email address: the first line is that of a user. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

async function* readCsv(file: string, stream: Readable): AsyncGenerator<SourceRecord> {
  /** The last line of the last record that was parsed; the reader below may be behind. */
  let parsedLines = 0
  const parser: Parser = stream.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      delimiter: [',', ';', '\t'],
      on_record(record, { lines }) {
        parsedLines = lines
        return record
      },
    }),
  )
  stream.once('error', (error) => parser.destroy(error))
  let names: string[] | undefined
  let line = 1
  // A parser is an async iterable of records; with `info`, each comes with its position.
  const records = parser as AsyncIterable<{ record: string[]; info: { lines: number } }>
  try {
    for await (const { record, info } of records) {
      if (names) {
        const isEven = record.length === names.length
        const count = `has ${record.length} columns, the first line has ${names.length}`
        yield csvRecord(line, names, record, isEven ? undefined : count)
      }
      // Excel writes the separator into a first line of its own.
      const isSeparator = !names && /^sep=/i.test(record[0] ?? '')
      if (!names && !isSeparator) names = namesOf(file, record)
      line = info.lines + 1
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The parser's own message quotes the value, which may be a hash.
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED'
    const what = isOpen ? 'is opened and not closed' : 'stands within a value; double it there'
    const at = isOpen ? parsedLines + 1 : Number(error.lines)
    throw new FileFault(
      `${file}, line ${at}: a quotation mark ${what}.`,
      `In line ${at}, a quotation mark ${what}.`,
    )
  }
}

/** The names of the columns. @throws FileFault when the first line is that of a user, who would be lost. */
function namesOf(file: string, record: readonly string[]): string[] {
  const names = record.map((name) => name.trim())
  if (!names.some((name) => ADDRESS.test(name))) return names
  const fault = 'has an email address, and no names of columns'
  const remedy = 'Put a line such as "id,email,name" in front, with a name for each column'
  throw new FileFault(
    `The first line of ${file} ${fault}. ${remedy}.`,
    `The first line ${fault}. ${remedy}.`,
  )
}

/** `profile` and `metadata` may be JSON objects in one cell, as an export has them. */
const OBJECTS = ['profile', 'metadata']

function csvRecord(
  line: number,
  names: readonly string[],
  cells: readonly string[],
  misfit: string | undefined,
): SourceRecord {
  const members = new Map<string, string>()
  let fault = misfit
  for (const [n, name] of names.entries()) {
    const cell = cells[n] ?? ''
    if (OBJECTS.includes(name) && cell.startsWith('{')) {
      const inner = jsonRecord(line, `{${JSON.stringify(name)}:${cell}}`)
      if (inner.fault) fault ??= `has a "${name}" that ${inner.fault}`
      for (const [member, value] of inner.members) members.set(member, value)
    } else if (cell !== '') members.set(name, name === 'email' ? unescapeFormula(cell) : cell)
  }
  return { line, members, fault }
}

function jsonRecord(line: number, text: string): SourceRecord {
  const members = new Map<string, string>()
  let fault: string | undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) flatten(value, '', members)
    else fault = 'is not a JSON object'
  } catch {
    fault = 'is not JSON'
  }
  return { line, members, fault }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function flatten(object: object, prefix: string, into: Map<string, string>): void {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' && value !== null) {
      flatten(namedValues(value) ?? value, `${prefix}${name}.`, into)
    } else if (value !== null) into.set(prefix + name, String(value))
  }
}

/** An object of what Cognito has as a list: `{ Name: 'email', Value: … }` for each attribute. */
function namedValues(list: object): object | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const isNamed = list.every((one) => isObject(one) && 'Name' in one && 'Value' in one)
  return isNamed ? Object.fromEntries(list.map(({ Name, Value }) => [Name, Value])) : undefined
}
