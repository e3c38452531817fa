import { hash } from 'node:crypto'
import type { Micros } from '../../store/records.ts'
import type { Sentence } from '../texts/index.ts'
import { inOneWay, type MetadataRow } from './form-fields.ts'

/** The values of a form: its fields by name, and its rows of metadata. */
export interface FormValues<Field extends string = string> {
  readonly fields: Readonly<Record<Field, string>>
  readonly metadata: readonly MetadataRow[]
}

/** The refusal of a form whose object another person has changed since the page was loaded. */
export const CHANGED_MEANWHILE: Sentence =
  'Another person changed this a moment ago. Your changes are marked below; save again to keep them.'

/** Whether the object of a form was changed since the page of the form was loaded. */
export function isStale(form: URLSearchParams, { updatedAt }: { updatedAt: Micros }): boolean {
  return Number(form.get('read_at')) !== updatedAt
}

/**
 * The values that a form is filled with, as JSON for its field `base`. A value of metadata is
 * replaced by a short hash.
 */
export function baseFrom({ fields, metadata }: FormValues): string {
  const marks = metadata.map(({ key, value }) => [`metadata.${key}`, markOf(value)])
  return JSON.stringify({ ...fields, ...Object.fromEntries(marks) })
}

/**
 * The values that a submitted form was filled with when its page was loaded, from its field `base`.
 * Empty if that field is missing or unreadable.
 */
function baseOf(form: URLSearchParams): Readonly<Record<string, string>> {
  try {
    const base: unknown = JSON.parse(form.get('base') ?? '')
    return typeof base === 'object' && base !== null ? (base as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** A short hash of a metadata value, which shows whether a form has changed the value. */
function markOf(value: string): string {
  return hash('sha256', inOneWay(value), 'base64url').slice(0, 22)
}

/**
 * Merges a submitted form with the values that another person has stored since the page was loaded.
 * Fields and rows that the form left unchanged take the stored value.
 */
export function merged<Field extends string>(
  form: URLSearchParams,
  sent: FormValues<Field>,
  stored: FormValues<Field>,
): FormValues<Field> {
  const base = baseOf(form)
  const fields = (Object.entries(sent.fields) as [Field, string][]).map(([name, value]) => [
    name,
    value === base[name] ? (stored.fields[name] ?? value) : value,
  ])
  const isLeft = (key: string, value: string) => base[`metadata.${key}`] === markOf(value)
  const rows = sent.metadata.flatMap((row) =>
    isLeft(row.key, row.value) ? stored.metadata.filter(({ key }) => key === row.key) : [row],
  )
  const isKnown = (key: string) =>
    base[`metadata.${key}`] !== undefined || sent.metadata.some((row) => row.key === key)
  const added = stored.metadata.filter(({ key }) => !isKnown(key))
  return {
    fields: Object.fromEntries(fields) as FormValues<Field>['fields'],
    metadata: [...rows, ...added],
  }
}

/** The stored fields that differ from those of a form, by name. `metadata` has all rows as lines. */
function storedBeside(shown: FormValues, stored: FormValues): Record<string, string> {
  const textsOf = ({ fields, metadata }: FormValues): Record<string, string> => ({
    ...fields,
    metadata: metadata.map(({ key, value }) => `${key}: ${inOneWay(value)}`).join('\n'),
  })
  const own = textsOf(shown)
  return Object.fromEntries(
    Object.entries(textsOf(stored)).filter(([name, text]) => text !== own[name]),
  )
}

/** The time and the values with which a form was filled. The form sends both back. */
export interface Filled {
  readonly readAt: Micros
  readonly filledWith: string
}

/** Fills a form from its object. */
export function filledFrom({ updatedAt }: { updatedAt: Micros }, values: FormValues): Filled {
  return { readAt: updatedAt, filledWith: baseFrom(values) }
}

/** The time and the values that a submitted form was filled with, to show the form again. */
export function filledBefore(form: URLSearchParams): Filled {
  return { readAt: Number(form.get('read_at')), filledWith: form.get('base') ?? '' }
}

/** A form that is shown again after another person has changed its object. */
export interface MergedForm<Field extends string> {
  readonly kept: FormValues<Field>
  readonly shown: {
    /** The stored fields that differ from the form. */
    readonly theirs: Readonly<Record<string, string>>
    readonly filled: Filled
    readonly problem: Sentence
    readonly status: number
  }
}

/** Merges a submitted form with its object, which another person has changed. */
export function mergedForm<Field extends string>(
  form: URLSearchParams,
  sent: FormValues<Field>,
  record: { updatedAt: Micros },
  stored: FormValues<Field>,
): MergedForm<Field> {
  const kept = merged(form, sent, stored)
  const [theirs, filled] = [storedBeside(kept, stored), filledFrom(record, stored)]
  return { kept, shown: { theirs, filled, problem: CHANGED_MEANWHILE, status: 409 } }
}
