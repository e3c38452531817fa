import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import type { Tenant } from '../../store/records.ts'
import { type TenantBody, tenantBody } from '../../wire/schemas.ts'
import { serializeTenant } from '../../wire/tenants.ts'
import type { FormValues } from '../forms/concurrent-edits.ts'
import { inOneWay, metadataOf, metadataRows, sentMetadata } from '../forms/form-fields.ts'
import { asIs, type Message, many, message, type Text } from '../texts/index.ts'
import {
  isFlag,
  isGuarded,
  isMetadata,
  memberOf,
  type Setting,
  type SettingGroup,
  settingGroups,
} from './setting-groups.ts'

/**
 * The values of the settings form, by the names of the settings. A boolean is `true` or `false` as
 * text. A metadata key without a field of its own has a row.
 */
export type SettingValues = FormValues

/** The section for metadata. It has rows in place of settings. */
export const METADATA_GROUP: SettingGroup = { id: 'metadata', title: 'Metadata', settings: [] }

/** All sections of the settings page, in order. */
export const sections: readonly SettingGroup[] = [...settingGroups, METADATA_GROUP]

/** Every setting that has a field. */
export const allSettings: readonly Setting[] = settingGroups.flatMap(({ settings }) => settings)

/** The metadata keys that have a field of their own. */
const withField: ReadonlySet<string> = new Set(
  allSettings.filter(isMetadata).map(({ name }) => name),
)

/** The tenant as a request body of the API, with every member. */
export function bodyOf(tenant: Tenant): TenantBody {
  return tenantBody.parse(serializeTenant(tenant))
}

/** The stored values of a tenant, as its form shows them. */
export function storedValues({ name, settings, metadata }: TenantBody): SettingValues {
  const values: Readonly<Record<string, unknown>> = { ...metadata, ...settings, name }
  const of = ({ name: member, kind, choices }: Setting): string => {
    if (kind === 'metadata_flag') return String(values[member] === 'true')
    const value = String(values[member] ?? '')
    return !choices || choices.some((one) => one.value === value) ? value : ''
  }
  return {
    fields: Object.fromEntries(allSettings.map((one) => [one.name, of(one)])),
    metadata: metadataRows(metadata).filter(({ key }) => !withField.has(key)),
  }
}

/**
 * The values of a submitted form; `undefined` if a field is missing. Browsers remove line breaks,
 * and surrounding spaces are ignored: a value that differs from the stored one only in these counts
 * as unchanged. An empty number stays empty, and is refused by the schema of the tenant.
 */
export function sentValues(
  form: URLSearchParams,
  stored: SettingValues,
): SettingValues | undefined {
  const isWhole = allSettings.every(({ name, kind }) => isFlag(kind) || form.has(name))
  if (!isWhole || !form.has('metadata_key')) return undefined
  const of = ({ name, kind }: Setting) => {
    if (isFlag(kind)) return String(form.get(name) === 'true')
    const [value, before = ''] = [plain(form.get(name) ?? ''), stored.fields[name]]
    return value === plain(before) ? before : value
  }
  return {
    fields: Object.fromEntries(allSettings.map((one) => [one.name, of(one)])),
    metadata: sentMetadata(form),
  }
}

function plain(text: string): string {
  return text.replace(/[\r\n]+/g, '').trim()
}

/** The names of the fields that differ; `metadata` stands for all rows. */
export function changedFields(before: SettingValues, after: SettingValues): string[] {
  return [...new Set(differencesOf(before, after).map(({ field }) => field))]
}

/**
 * A copy of `values` in which the named fields have the values of `other`. The name `metadata`
 * stands for all rows.
 */
export function withFields(
  values: SettingValues,
  other: SettingValues,
  fields: readonly string[],
): SettingValues {
  const taken = Object.entries(other.fields).filter(([name]) => fields.includes(name))
  return {
    fields: { ...values.fields, ...Object.fromEntries(taken) },
    metadata: (fields.includes(METADATA_GROUP.id) ? other : values).metadata,
  }
}

/**
 * The body of the tenant with the values of a form, for the schema to check.
 *
 * @throws ServiceError for invalid metadata, and for a row whose key has a field of its own.
 */
export function applyValues(body: TenantBody, { fields, metadata: rows }: SettingValues): unknown {
  const stored = storedValues(body)
  const changed = allSettings.filter((one) => fields[one.name] !== stored.fields[one.name])
  const settings: Record<string, unknown> = { ...body.settings }
  const kept = Object.entries(body.metadata).filter(([key]) => withField.has(key))
  const ofFields = new Map<string, string>(kept)
  let { name } = body
  for (const { name: member, kind } of changed) {
    const value = fields[member] ?? ''
    if (member === 'name') name = value
    else if (kind === 'flag') settings[member] = value === 'true'
    else if (kind === 'seconds') settings[member] = secondsOf(value)
    else if (kind === 'text') settings[member] = value
    else if (value === '' || (kind === 'metadata_flag' && value !== 'true')) ofFields.delete(member)
    else ofFields.set(member, value)
  }
  const twice = rows.find(({ key }) => withField.has(key))
  if (twice) {
    throw new ServiceError('invalid_metadata', reason('metadata_has_field', { key: twice.key }))
  }
  const metadata = { ...metadataOf(rows, body.metadata), ...Object.fromEntries(ofFields) }
  return { ...body, name, settings, metadata }
}

/** The number of seconds in a text. Any other text is `NaN`, which the schema refuses. */
function secondsOf(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

/** A value that differs between two sets of values, in words. */
export interface Difference {
  /** The name of the field; `metadata` for a row. */
  readonly field: string
  /** The path in the JSON of the tenant, such as `settings.company_name`. */
  readonly name: string
  readonly label: Text
  readonly before: Text
  readonly after: Text
  /**
   * Whether the change needs a login of the last five minutes. A change of a metadata row always
   * does, because the service reads some of these keys.
   */
  readonly isGuarded: boolean
}

/** The values that differ, in the order of the page. */
export function differencesOf(before: SettingValues, after: SettingValues): Difference[] {
  const rows = allSettings
    .filter(({ name }) => before.fields[name] !== after.fields[name])
    .map((setting) => ({
      field: setting.name,
      name: memberOf(setting),
      label: setting.label,
      before: shown(setting.kind, before.fields[setting.name] ?? ''),
      after: shown(setting.kind, after.fields[setting.name] ?? ''),
      isGuarded: isGuarded(setting),
    }))
  const of = (values: SettingValues) =>
    new Map(values.metadata.map(({ key, value }) => [key, inOneWay(value)]))
  const [own, other] = [of(before), of(after)]
  const keys = [...new Set([...own.keys(), ...other.keys()])]
    .filter((key) => own.get(key) !== other.get(key))
    .map((key) => ({
      field: METADATA_GROUP.id,
      name: `metadata.${key}`,
      label: asIs(key),
      before: asIs(own.get(key) ?? ''),
      after: asIs(other.get(key) ?? ''),
      isGuarded: true,
    }))
  return [...rows, ...keys]
}

/** The section of the settings page that contains a field. */
export function sectionOf(field: string): SettingGroup {
  return (
    sections.find(({ settings }) => settings.some((one) => one.name === field)) ?? METADATA_GROUP
  )
}

/** The value of a setting in words. */
export function shown(kind: Setting['kind'], value: string): Text {
  if (isFlag(kind)) return value === 'true' ? 'on' : 'off'
  if (kind === 'seconds' && /^\d+$/.test(value)) {
    return message('{value} seconds ({length})', { value, length: duration(value) })
  }
  return asIs(value)
}

/** A number of seconds in words, in the largest unit that divides it. */
export function duration(value: string): Message {
  const seconds = Number(value)
  const fits = (size: number) => seconds >= size && seconds % size === 0
  if (fits(86_400)) return many(seconds / 86_400, '1 day', '{count} days')
  if (fits(3_600)) return many(seconds / 3_600, '1 hour', '{count} hours')
  if (fits(60)) return many(seconds / 60, '1 minute', '{count} minutes')
  return many(seconds, '1 second', '{count} seconds')
}
