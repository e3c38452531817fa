import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { type Parser, parse } from 'csv-parse'
import { type Encoding, readText } from './encoding.ts'
import { unescapeFormula } from './formula.ts'
import { splitJsonArray } from './json-array.ts'

export const formats = ['csv', 'ndjson', 'json'] as const

export type FileFormat = (typeof formats)[number]

/** One record of a file: its members by name, or why it cannot be read. */
export interface SourceRecord {
  line: number
  /** Nested members have names with dots, such as `profile.email`. */
  members: Map<string, string>
  fault: string | undefined
}

/** The format that the name of a file tells; CSV when it tells none. */
export function formatOf(file: string): FileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  return /\.json$/i.test(file) ? 'json' : 'csv'
}

/** Reads a file a record at a time, so that memory does not depend on its size. */
export async function* readSource(
  file: string,
  format: FileFormat,
  encoding: Encoding,
): AsyncGenerator<SourceRecord> {
  const stream = Readable.from(readText(file, encoding))
  if (format === 'csv') return yield* readCsv(stream)
  const pieces = format === 'json' ? splitJsonArray(stream) : readLines(stream)
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

async function* readCsv(stream: Readable): AsyncGenerator<SourceRecord> {
  const parser: Parser = stream.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      delimiter: [',', ';', '\t'],
    }),
  )
  stream.once('error', (error) => parser.destroy(error))
  let names: string[] | undefined
  let line = 1
  // A parser is an async iterable of records; with `info`, each comes with its position.
  const records = parser as AsyncIterable<{ record: string[]; info: { lines: number } }>
  for await (const { record, info } of records) {
    if (names) {
      const isEven = record.length === names.length
      const count = `has ${record.length} columns, the first line has ${names.length}`
      yield csvRecord(line, names, record, isEven ? undefined : count)
    }
    names ??= record.map((name) => name.trim())
    line = info.lines + 1
  }
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
    if (typeof value !== 'object' || value === null) fault = 'is not a JSON object'
    else flatten(value, '', members)
  } catch {
    fault = 'is not JSON'
  }
  return { line, members, fault }
}

function flatten(object: object, prefix: string, into: Map<string, string>): void {
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'object' && value !== null) flatten(value, `${prefix}${name}.`, into)
    else if (value !== null) into.set(prefix + name, String(value))
  }
}
