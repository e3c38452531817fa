import { ServiceError } from '../../domain/writes/errors.ts'
import { type Reason, reason } from '../../domain/writes/reasons/index.ts'
import type { Metadata } from '../../store/records.ts'
import type { SearchCursor } from '../../store/user-search.ts'
import type { Sentence } from '../texts/index.ts'

/** The place behind which a page of a search begins. */
export function cursorOf(query: URLSearchParams): SearchCursor | undefined {
  const key = query.get('key')
  const id = query.get('id')
  return key === null || id === null ? undefined : { key, id }
}

/** A line of a text area that is not empty. */
export interface Line {
  /** Counts from 1. */
  readonly line: number
  readonly text: string
}

/** The lines of a text area, without those that are empty. */
export function linesOf(text: string): Line[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((one, index) => ({ line: index + 1, text: one.trim() }))
    .filter((one) => one.text !== '')
}

/** A key of metadata and its value, as a form has them. */
export interface MetadataRow {
  readonly key: string
  readonly value: string
}

/** The rows of a form for metadata. */
export function metadataRows(metadata: Metadata): MetadataRow[] {
  return Object.entries(metadata).map(([key, value]) => ({ key, value }))
}

/** The rows of metadata that a form has sent, without those that are empty. */
export function sentMetadata(form: URLSearchParams): MetadataRow[] {
  const values = form.getAll('metadata_value')
  return form
    .getAll('metadata_key')
    .map((key, index) => ({ key: key.trim(), value: values[index] ?? '' }))
    .filter(({ key, value }) => key !== '' || value !== '')
}

/**
 * The metadata of a form. Browsers change the line breaks of a value; a value that differs only in
 * these stays as it was.
 *
 * @throws ServiceError `invalid_metadata` for a key that is there twice, or is empty.
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

/** The values that a form was filled with, by their fields; it sends them back as `base`. */
export function baseOf(form: URLSearchParams): Readonly<Record<string, string>> {
  try {
    const base: unknown = JSON.parse(form.get('base') ?? '')
    return typeof base === 'object' && base !== null ? (base as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** The sentence for a form that another person was faster than; the form shows both values. */
export const CHANGED_MEANWHILE: Sentence =
  'Another person changed this a moment ago. Your changes are marked below; save again to keep them.'

/** A word of a command line, as a shell reads it. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`
}

/** A text with line breaks of one kind, as browsers change them. */
export function inOneWay(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
