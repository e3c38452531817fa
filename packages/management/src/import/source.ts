import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Parser, parse } from 'csv-parse'
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
export async function* readSource(file: string, format: FileFormat): AsyncGenerator<SourceRecord> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1_024 })
  if (format === 'csv') return yield* readCsv(stream)
  const pieces = format === 'json' ? splitJsonArray(stream) : readLines(stream)
  for await (const { line, text } of pieces) yield jsonRecord(line, text)
}

async function* readLines(stream: NodeJS.ReadableStream) {
  let line = 0
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    line++
    if (text.trim() !== '') yield { line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text }
  }
}

async function* readCsv(stream: NodeJS.ReadableStream): AsyncGenerator<SourceRecord> {
  const parser: Parser = stream.pipe(
    parse({
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      delimiter: [',', ';', '\t'],
    }),
  )
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
