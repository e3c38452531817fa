import { ServiceError } from '../../domain/writes/errors.ts'
import { type Reason, reason } from '../../domain/writes/reasons/index.ts'
import type { Metadata } from '../../store/records.ts'
import type { SearchCursor } from '../../store/user-search.ts'

/**
 * The cursor in the query of a page of search results: the result after which the page begins.
 * `undefined` for the first page.
 */
export function cursorOf(query: URLSearchParams): SearchCursor | undefined {
  const key = query.get('key')
  const id = query.get('id')
  return key === null || id === null ? undefined : { key, id }
}

/** A non-empty line of a text area. */
export interface Line {
  /** The number of the line. It counts from 1 and includes empty lines. */
  readonly line: number
  readonly text: string
}

/** The non-empty lines of a text area, without surrounding spaces. */
export function linesOf(text: string): Line[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((one, index) => ({ line: index + 1, text: one.trim() }))
    .filter((one) => one.text !== '')
}

/** A row of a metadata form: a key and its value. */
export interface MetadataRow {
  readonly key: string
  readonly value: string
}

/** The rows of a form for stored metadata. */
export function metadataRows(metadata: Metadata): MetadataRow[] {
  return Object.entries(metadata).map(([key, value]) => ({ key, value }))
}

/** The metadata rows of a submitted form, without empty rows. */
export function sentMetadata(form: URLSearchParams): MetadataRow[] {
  const values = form.getAll('metadata_value')
  return form
    .getAll('metadata_key')
    .map((key, index) => ({ key: key.trim(), value: values[index] ?? '' }))
    .filter(({ key, value }) => key !== '' || value !== '')
}

/**
 * The metadata from the rows of a form. Browsers change the line breaks of a value. A value that
 * differs from the stored one only in line breaks keeps the stored text.
 *
 * @throws ServiceError `invalid_metadata` for a duplicate or an empty key.
 */
export function metadataOf(rows: readonly MetadataRow[], stored: Metadata = {}): Metadata {
  const metadata = new Map<string, string>()
  for (const { key, value } of rows) {
    if (key === '') refuse(reason('metadata_without_key', { value: value.slice(0, 50) }))
    if (metadata.has(key)) refuse(reason('metadata_key_twice', { key }))
    const before = Object.hasOwn(stored, key) ? stored[key] : undefined
    const isSame = before !== undefined && inOneWay(before) === inOneWay(value)
    metadata.set(key, isSame ? before : inOneWay(value))
  }
  return Object.fromEntries(metadata)
}

/** A text as one word of a command line, quoted for a shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`
}

/** A text with all line breaks as `\n`, for a comparison. Browsers send them as `\r\n`. */
export function inOneWay(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
