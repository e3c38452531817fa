import { Readable } from 'node:stream'
import { readCsv } from './csv-records.ts'
import { type Encoding, readText } from './encoding.ts'
import { unescapeFormula } from './formula.ts'
import type { CsvRow } from './heading.ts'
import { splitJson } from './json-records.ts'
import { type RowFault, rowFault } from './row-fault.ts'

export const formats = ['csv', 'ndjson', 'json'] as const

export type FileFormat = (typeof formats)[number]

/** A record of a file: its members by name, or the reason why it cannot be read. */
export interface SourceRecord {
  line: number
  /** Nested members have names with dots, such as `profile.email`. */
  members: Map<string, string>
  fault: RowFault | undefined
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
  const texts = readText(name, read(), encoding)
  if (format === 'csv') {
    const { first, all } = await firstLineOf(texts)
    for await (const row of readCsv(name, Readable.from(all), first)) yield csvRecord(row)
    return
  }
  const pieces = format === 'json' ? splitJson(name, texts) : readLines(texts)
  for await (const { line, text } of pieces) yield jsonRecord(line, text)
}

/** How many characters of a file are read for its first line. */
const FIRST_LINE = 64 * 1_024

/** The first line that is not blank (more may follow it), and all of the text. */
async function firstLineOf(texts: AsyncGenerator<string>) {
  let first = ''
  while (first.length < FIRST_LINE && !/\S.*[\r\n]/.test(first)) {
    const { value, done } = await texts.next()
    if (done) break
    first += value
  }
  async function* all() {
    if (first !== '') yield first
    yield* texts
  }
  return { first, all: all() }
}

/** The lines that are not empty. U+2028 ends no line, as it may be part of a JSON value. */
async function* readLines(texts: AsyncIterable<string>) {
  let line = 0
  let begun = ''
  const piece = (text: string) => ({ line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text })
  for await (const chunk of texts) {
    const [first = '', ...others] = chunk.split('\n')
    begun += first
    for (const next of others) {
      line++
      if (begun.trim() !== '') yield piece(begun)
      begun = next
    }
  }
  line++
  if (begun.trim() !== '') yield piece(begun)
}

/** A cell of these columns may be a JSON object, as in an export. */
const OBJECTS = ['profile', 'metadata']

function csvRecord({ line, names, cells, fault }: CsvRow): SourceRecord {
  const members = createMembers(fault)
  for (const [n, name] of names.entries()) {
    const cell = cells[n] ?? ''
    if (OBJECTS.includes(name) && cell.startsWith('{')) {
      const inner = jsonRecord(line, `{${JSON.stringify(name)}:${cell}}`)
      if (inner.fault) members.blame(rowFault('inside', { column: name, fault: inner.fault }))
      for (const [member, value] of inner.members) members.add(member, value)
    } else if (cell !== '') members.add(name, name === 'email' ? unescapeFormula(cell) : cell)
  }
  return members.record(line)
}

function jsonRecord(line: number, text: string): SourceRecord {
  const members = createMembers(undefined)
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) members.blame(rowFault('not_object'))
    // JSON.parse keeps one of two members with the same name, so a lower count reveals a duplicate.
    else if (flatten(value, '', members) < countNames(text)) members.blame(TWICE)
  } catch {
    members.blame(rowFault('not_json'))
  }
  return members.record(line)
}

/** The members of a JSON text within a value, by their paths; `undefined` for any other text. */
export function flattenText(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const members = createMembers(undefined)
    if (typeof value === 'object' && value !== null) flatten(value, '', members)
    return members.record(0).members
  } catch {
    return undefined
  }
}

/** The fault of a duplicate member. Either of its values may say that the user must not log in. */
const TWICE = rowFault('twice')

/** Collects the members of a record, and the first of its faults. */
function createMembers(first: RowFault | undefined) {
  const members = new Map<string, string>()
  let fault = first
  const blame = (found: RowFault): void => {
    fault ??= found
  }
  return {
    blame,
    add(name: string, value: string): void {
      if (members.has(name)) blame(TWICE)
      members.set(name, value)
    },
    record: (line: number): SourceRecord => ({ line, members, fault }),
  }
}

type Members = ReturnType<typeof createMembers>

/** How many names of members a JSON text has. */
function countNames(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/gs)) if (colon) count++
  return count
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Adds the members of an object by their paths. Returns how many names it has, at any depth. */
function flatten(object: object, prefix: string, into: Members): number {
  let names = 0
  for (const [name, value] of Object.entries(object)) {
    if (!Array.isArray(object)) names++
    if (typeof value === 'object' && value !== null) {
      names += isNamedList(value)
        ? flattenNamed(value, `${prefix}${name}.`, into)
        : flatten(value, `${prefix}${name}.`, into)
    } else if (value !== null) into.add(prefix + name, String(value))
  }
  return names
}

/** An element of a list in an export of Cognito. */
interface Named {
  Name: string
  Value: unknown
}

/**
 * Whether a list has an object `{ Name: 'email', Value: … }` for each attribute, as in an export of
 * Cognito.
 */
function isNamedList(list: object): list is Named[] {
  const isList = Array.isArray(list) && list.length > 0
  return isList && list.every((one) => isObject(one) && 'Name' in one && 'Value' in one)
}

function flattenNamed(list: Named[], prefix: string, into: Members): number {
  let names = 0
  for (const one of list) {
    names += Object.keys(one).length + flatten({ [one.Name]: one.Value }, prefix, into) - 1
  }
  return names
}
