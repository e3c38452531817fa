import { isDeepStrictEqual } from 'node:util'
import type { Metadata, Tenant } from '../store/records.ts'
import { type TenantBody, tenantBody } from '../wire/schemas.ts'
import { serializeTenant } from '../wire/tenants.ts'
import { type MetadataRow, metadataOf, metadataRows, sentMetadata } from './form-fields.ts'
import {
  isFlag,
  memberOf,
  type Setting,
  type SettingGroup,
  settingGroups,
} from './setting-groups.ts'
import { asIs, type Message, many, message, type Text } from './texts/index.ts'

/** The values of a group's fields, as a form has them; those of metadata are rows. */
export interface SettingValues {
  readonly fields: Readonly<Record<string, string>>
  readonly metadata: readonly MetadataRow[]
}

/** The group whose form changes the metadata. */
export const METADATA_GROUP: SettingGroup = { id: 'metadata', title: 'Metadata', settings: [] }

/** The group of that id, if there is one. */
export function findGroup(id: string | null): SettingGroup | undefined {
  return [...settingGroups, METADATA_GROUP].find((group) => group.id === id)
}

/** The tenant as the API has it, with every member. */
export function bodyOf(tenant: Tenant): TenantBody {
  return tenantBody.parse(serializeTenant(tenant))
}

/** The stored values of a group. */
export function storedValues(group: SettingGroup, body: TenantBody): SettingValues {
  const { name, settings, metadata } = body
  const values: Readonly<Record<string, unknown>> = { ...metadata, ...settings, name }
  return {
    fields: Object.fromEntries(
      group.settings.map(({ name: member, kind }) => [
        member,
        String(kind === 'metadata_flag' ? values[member] === 'true' : (values[member] ?? '')),
      ]),
    ),
    metadata: group === METADATA_GROUP ? metadataRows(metadata) : [],
  }
}

/** The values of a group that a form has sent. An empty number is sent on as it is, and is refused. */
export function sentValues(group: SettingGroup, form: URLSearchParams): SettingValues {
  const of = ({ name, kind }: Setting) => {
    const value = (form.get(name) ?? '').trim()
    return isFlag(kind) ? String(value === 'true') : value
  }
  return {
    fields: Object.fromEntries(group.settings.map((one) => [one.name, of(one)])),
    metadata: group === METADATA_GROUP ? sentMetadata(form) : [],
  }
}

/**
 * The tenant with the values of a group.
 *
 * @throws ServiceError for invalid metadata.
 */
export function applyValues(
  group: SettingGroup,
  body: TenantBody,
  { fields, metadata }: SettingValues,
): unknown {
  const settings: Record<string, unknown> = { ...body.settings }
  const stored: Metadata = body.metadata
  const kept: Record<string, string> = { ...stored }
  let { name } = body
  for (const { name: member, kind } of group.settings) {
    const value = fields[member] ?? ''
    if (member === 'name') name = value
    else if (kind === 'flag') settings[member] = value === 'true'
    else if (kind === 'seconds') settings[member] = secondsOf(value)
    else if (kind === 'text') settings[member] = value
    else if (value === '' || (kind === 'metadata_flag' && value !== 'true')) delete kept[member]
    else kept[member] = value
  }
  const changed = group === METADATA_GROUP ? metadataOf(metadata, stored) : kept
  return { ...body, name, settings, metadata: changed }
}

function secondsOf(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

/** A difference between two sets of values, as text. */
export interface Difference {
  readonly name: string
  readonly label: Text
  readonly before: Text
  readonly after: Text
}

/** The values that differ. */
export function differencesOf(
  group: SettingGroup,
  before: SettingValues,
  after: SettingValues,
): Difference[] {
  const rows = group.settings.map((setting) => ({
    name: memberOf(setting),
    label: setting.label,
    before: shown(setting.kind, before.fields[setting.name] ?? ''),
    after: shown(setting.kind, after.fields[setting.name] ?? ''),
  }))
  const of = (values: SettingValues) => new Map(values.metadata.map((row) => [row.key, row.value]))
  const [own, other] = [of(before), of(after)]
  const keys = [...new Set([...own.keys(), ...other.keys()])].map((key) => ({
    name: `metadata.${key}`,
    label: asIs(key),
    before: asIs(own.get(key) ?? ''),
    after: asIs(other.get(key) ?? ''),
  }))
  return [...rows, ...keys].filter((row) => !isDeepStrictEqual(row.before, row.after))
}

/** A value in words. */
export function shown(kind: Setting['kind'], value: string): Text {
  if (isFlag(kind)) return value === 'true' ? 'on' : 'off'
  if (kind === 'seconds' && /^\d+$/.test(value)) {
    return message('{value} seconds ({length})', { value, length: duration(value) })
  }
  return asIs(value)
}

/** Seconds in the largest unit that fits. */
export function duration(value: string): Message {
  const seconds = Number(value)
  const fits = (size: number) => seconds >= size && seconds % size === 0
  if (fits(86_400)) return many(seconds / 86_400, '1 day', '{count} days')
  if (fits(3_600)) return many(seconds / 3_600, '1 hour', '{count} hours')
  if (fits(60)) return many(seconds / 60, '1 minute', '{count} minutes')
  return many(seconds, '1 second', '{count} seconds')
}

/**
 * The values of a form after another person was faster: fields that the form left as it found them take
 * the value that is stored now.
 */
export function merged(
  base: Readonly<Record<string, string>>,
  sent: SettingValues,
  stored: SettingValues,
): SettingValues {
  const fields = Object.entries(sent.fields).map(([name, value]) => [
    name,
    value === base[name] ? (stored.fields[name] ?? value) : value,
  ])
  return { ...sent, fields: Object.fromEntries(fields) }
}
