import { Readable } from 'node:stream'
import { readCsv } from './csv-records.ts'
import { type Encoding, readText } from './encoding.ts'
import { unescapeFormula } from './formula.ts'
import type { CsvRow } from './heading.ts'
import { splitJson } from './json-records.ts'
import { type RowFault, rowFault } from './row-fault.ts'

export const formats = ['csv', 'ndjson', 'json'] as const

export type FileFormat = (typeof formats)[number]

/**
 * A record of a file, with its members by name and the reason why it cannot be read, if there is
 * one.
 */
export interface SourceRecord {
  line: number
  /**
   * The values of the record by name. The name of a nested member has dots, such as
   * `profile.email`.
   */
  members: Map<string, string>
  fault: RowFault | undefined
}

/** A file on disk, or an uploaded file. */
export interface Source {
  /** The name of the file, for messages. */
  name: string
  format: FileFormat
  encoding: Encoding
  read(): AsyncIterable<Buffer>
}

/** Reads a file one record at a time, so that its size does not affect memory. */
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

/** The number of characters after which the search for the first line ends. */
const FIRST_LINE = 64 * 1_024

/**
 * Reads the beginning of a text up to the first line that is not blank. `first` may have more than
 * that line. `all` yields the complete text.
 */
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

/**
 * Yields the lines that are not blank, with their numbers. Only a line feed ends a line: U+2028 may
 * be part of a JSON value.
 */
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

/** The columns whose cells may be JSON objects, as in our own export. */
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
    // JSON.parse keeps only one of two members with the same name. So fewer members than names in
    // the text reveal a duplicate.
    else if (flatten(value, '', members) < countNames(text)) members.blame(TWICE)
  } catch {
    members.blame(rowFault('not_json'))
  }
  return members.record(line)
}

/** The members of a JSON text, by their paths. `undefined` if the text is not JSON. */
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

/**
 * The fault of a duplicate member. It is a fault because either of the two values may say that the
 * user must not log in.
 */
const TWICE = rowFault('twice')

/** Creates a collector of the members of a record, and of the first fault. */
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

/** The number of member names in a JSON text. */
function countNames(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/gs)) if (colon) count++
  return count
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Adds the members of an object by their paths. Returns the number of member names in the object,
 * at any depth.
 */
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

/** An attribute in the list of attributes of a Cognito export. */
interface Named {
  Name: string
  Value: unknown
}

/**
 * Whether a list has only objects `{ Name: 'email', Value: … }`, as the attributes in a Cognito
 * export.
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
