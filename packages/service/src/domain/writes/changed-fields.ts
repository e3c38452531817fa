import { isDeepStrictEqual } from 'node:util'
import type { AuditChange } from '../../store/audit-details.ts'
import type { TenantLogo } from '../../store/records.ts'

/** The members of records that callers cannot set. They are not audited. */
const internal = new Set([
  'updatedAt',
  'sessionsValidAfter',
  'emailKey',
  'state',
  'rev',
  'earlierSecret',
  'endedHosts',
])

/** The API names of members whose record names differ in more than letter case. */
const names = {
  email: 'profile.email',
  verifiedAt: 'profile.email_verified',
  sealedSecret: 'secret',
} as const satisfies Record<string, string>

/** The members in which the customer chooses the names of the inner members. */
const named = new Set(['metadata', 'profile'])

/**
 * The API names of the members that differ, such as `metadata.plan`. Values are left out, because
 * more people read the audit log than the objects. Only a flag has its new value: `disabled=true`,
 * `settings.allow_signups=false`.
 */
export function changedFields(before: object, after: object): string[] {
  const fields: string[] = []
  for (const [name, values] of differing(before, after)) {
    if (internal.has(name)) continue
    const [last, next] = values as [unknown, object | undefined]
    if (name === 'texts') {
      fields.push(...differing(flatTexts(last), flatTexts(next)).map(([text]) => text))
    } else if (name === 'settings' || named.has(name)) {
      for (const [member] of differing(last as object, next as object)) {
        if (named.has(name)) fields.push(`${name}.${member}`)
        else fields.push(withFlag(`${name}.${wireName(member)}`, next?.[member as keyof object]))
      }
    } else if (name === 'verifiedAt') fields.push(withFlag(names.verifiedAt, next !== undefined))
    else fields.push(withFlag((names as Record<string, string>)[name] ?? wireName(name), next))
  }
  return fields.sort()
}

/**
 * The members whose values are stored with the audit entry of a change. Other members may contain a
 * secret. In `metadata`, only values whose keys begin with `latchkey_` are stored.
 */
const told: ReadonlySet<string> = new Set([
  ...[
    'email',
    'verifiedAt',
    'profile',
    'metadata',
    'settings',
    'disabled',
    'role',
    'reach',
    'name',
    'texts',
    'logo',
  ],
  ...['loginUrl', 'logoutUrls', 'redirectUrls', 'url', 'description', 'types'],
  ...['issuer', 'clientId', 'scopes', 'trustEmail', 'allowSignup', 'enabled', 'ownCallback'],
])

/** The maximum length of a stored value, in characters. Longer values are cut. */
const MAX_VALUE = 500

/**
 * The values of the members that differ before and after a change, by the names of {@link
 * changedFields}.
 */
export function changedValues(before: object, after: object): AuditChange[] {
  const changes: AuditChange[] = []
  for (const [name, [last, next]] of differing(before, after)) {
    if (!told.has(name)) continue
    if (name === 'logo') changes.push({ name, ...valuesOf(imageIn(last), imageIn(next)) })
    else if (name === 'verifiedAt') {
      const was = (value: unknown) => String(value !== undefined)
      changes.push({ name: names.verifiedAt, before: was(last), after: was(next) })
    } else if (name === 'texts') {
      for (const [text, [one, other]] of differing(flatTexts(last), flatTexts(next))) {
        changes.push({ name: text, ...valuesOf(one, other) })
      }
    } else if (name === 'settings' || named.has(name)) {
      for (const [member, [one, other]] of differing(last as object, next as object)) {
        if (name === 'metadata' && !member.startsWith('latchkey_')) continue
        const own = named.has(name) ? member : wireName(member)
        changes.push({ name: `${name}.${own}`, ...valuesOf(one, other) })
      }
    } else {
      const own = (names as Record<string, string>)[name] ?? wireName(name)
      changes.push({ name: own, ...valuesOf(last, next) })
    }
  }
  return changes
}

/** A description of an uploaded image: its type, size and the hash of its bytes. */
function imageIn(logo: unknown): string | undefined {
  if (logo === undefined) return undefined
  const { type, width, height, bytes, hash } = logo as TenantLogo
  return `${type}, ${width} x ${height} pixels, ${bytes} bytes, SHA-256 ${hash}`
}

/** The texts of a tenant by names such as `texts.de.login_title`. */
function flatTexts(texts: unknown): Record<string, unknown> {
  const all = Object.entries((texts ?? {}) as Record<string, Record<string, unknown>>)
  return Object.fromEntries(
    all.flatMap(([language, own]) =>
      Object.entries(own).map(([name, text]) => [`texts.${language}.${name}`, text]),
    ),
  )
}

function valuesOf(last: unknown, next: unknown): Omit<AuditChange, 'name'> {
  const [before, after] = [textOf(last), textOf(next)]
  return { ...(before !== '' && { before }), ...(after !== '' && { after }) }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function withFlag(name: string, value: unknown): string {
  return typeof value === 'boolean' ? `${name}=${value}` : name
}

/** The name of a changed member, and the new value if it is a flag. */
export interface ChangedField {
  readonly name: string
  readonly flag?: boolean
}

/** Parses a field of an audit entry, as {@link changedFields} writes it. */
export function readField(text: string): ChangedField {
  // Names that customers choose may contain an equals sign, so their fields are not split.
  const [, name, value] =
    /^((?!metadata\.|profile\.(?!email_verified=)).*)=(true|false)$/.exec(text) ?? []
  return name === undefined ? { name: text } : { name, flag: value === 'true' }
}

function differing(before: object, after: object): [string, [unknown, unknown]][] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, [unknown, unknown]] => [
      name,
      [before[name as keyof object], after[name as keyof object]],
    ])
    .filter(([, [last, next]]) => !isDeepStrictEqual(last, next))
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
