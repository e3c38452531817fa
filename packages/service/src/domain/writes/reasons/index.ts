import { applications } from './applications.ts'
import { connections } from './connections.ts'
import { fields } from './fields.ts'
import { files } from './files.ts'
import { logins } from './logins.ts'
import { operators } from './operators.ts'
import { requests } from './requests.ts'
import { rows } from './rows.ts'
import { tenants } from './tenants.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

type Catalogue = typeof applications &
  typeof connections &
  typeof fields &
  typeof files &
  typeof logins &
  typeof operators &
  typeof requests &
  typeof rows &
  typeof tenants &
  typeof users &
  typeof webhooks

/** The name of a reason. The name stays the same when the sentence is reworded. */
export type ReasonName = keyof Catalogue

/**
 * The sentence of a reason in every language. Placeholders such as `{name}` stand for its values.
 */
export interface Translated {
  readonly en: string
  readonly de: string
}

/** The sentences of all reasons. A reason that lacks a language does not compile. */
export const reasons: Readonly<Record<ReasonName, Translated>> = {
  ...applications,
  ...connections,
  ...fields,
  ...files,
  ...logins,
  ...operators,
  ...requests,
  ...rows,
  ...tenants,
  ...users,
  ...webhooks,
}

/** A value in a sentence: data, which is not translated, or another reason. */
export type Value = string | number | Reason

/** A reason for a refusal: the name of its sentence, and the values in it. */
export interface Reason {
  readonly reason: ReasonName
  readonly values: Readonly<Record<string, Value>>
}

/**
 * The names of the placeholders in a sentence. Braces around a quote are an example in JSON, and no
 * placeholder.
 */
type PlacesOf<S> = S extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string}"${string}` ? never : Name) | PlacesOf<Rest>
  : never

/** The arguments for the values of a reason. There are none if its sentence has no placeholders. */
export type ValuesOf<N extends ReasonName> = [PlacesOf<Catalogue[N]['en']>] extends [never]
  ? []
  : [values: Readonly<Record<PlacesOf<Catalogue[N]['en']>, Value>>]

/** Makes a reason from its name and values. */
export function reason<N extends ReasonName>(name: N, ...[values]: ValuesOf<N>): Reason {
  return { reason: name, values: values ?? {} }
}

/** The sentence of a reason in a language. Its values are inserted unchanged. */
export function sentenceIn(language: keyof Translated, { reason: name, values }: Reason): string {
  return reasons[name][language].replaceAll(/\{(\w+)\}/g, (place, at: string) => {
    const value = values[at]
    if (value === undefined) return place
    return typeof value === 'object' ? sentenceIn(language, value) : String(value)
  })
}

/** A stored reason, if this version knows its name; otherwise `undefined`. */
export function knownReason(
  stored: { readonly reason: string; readonly values: object } | undefined,
): Reason | undefined {
  return stored && Object.hasOwn(reasons, stored.reason) ? (stored as Reason) : undefined
}
