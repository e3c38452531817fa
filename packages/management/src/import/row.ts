import type { ImportAlgorithm, LegacyPasswordInput, UserInput } from '../types.ts'
import { FALSE, TRUE } from './flags.ts'
import { type HashName, hashFault, hashNames, isAlgorithm, isHashName } from './hashes.ts'
import {
  type FirebaseParameters,
  firebasePassword,
  isKeycloakColumn,
  keycloakPassword,
  legacyFault,
  type RecordPassword,
  schemeOf,
} from './legacy.ts'
import { isPasswordTarget, type Mapping, type Target } from './mapping.ts'
import { type RowFault, type RowFaultName, rowFault } from './row-fault.ts'
import { flattenText, type SourceRecord } from './source.ts'
import { isAbsent, isNothing, type States } from './states.ts'

/** A record of the file as a user of the API, with its faults. */
export interface ImportRow {
  /** The number of the row, counted from 0. */
  row: number
  /** The line on which the row begins, counted from 1. */
  line: number
  /** The id of the user in the old system; empty if the file has none. */
  oldId: string
  user: UserInput
  password: { alg: ImportAlgorithm; hash: string } | undefined
  /** The password hash of another system, in place of `password`. */
  legacy?: LegacyPasswordInput | undefined
  /** The values that say whether the user may log in, each with its column. No value is absent. */
  states: [string, string][]
  /**
   * Unknown values that may mean a blocked user, each with its column. Empty if another value
   * blocks the user.
   */
  unclear: [string, string][]
  /**
   * Two columns with different values for one member; `undefined` if there are none, or if the
   * record has a fault.
   */
  contradiction: Contradiction | undefined
  faults: RowFault[]
}

/** A member, and two columns that have different values for it. */
export interface Contradiction {
  target: Target
  columns: readonly [string, string]
}

/** Options for reading records as users. */
export interface RowOptions {
  mapping: Mapping
  /** The columns that `--map` names, by target. The file must have these columns. */
  named: ReadonlyMap<Target, string>
  hashAlgorithm: HashName | undefined
  states: States
  /** The hash parameters that all users of a Firebase project share. */
  firebase?: FirebaseParameters | undefined
  /** Whether to leave out passwords and hashes. */
  withoutPasswords?: boolean | undefined
}

/** Converts a record into a row with all its faults. No fault contains a password or hash. */
export function toRow(
  row: number,
  { line, members, fault }: SourceRecord,
  options: RowOptions,
): ImportRow {
  const { mapping, states } = options
  const faults = fault ? [fault] : []
  const fields = new Map<string, string>()
  const columns = new Map<string, string>()
  let isDenied = false
  /**
   * `said` has the values that say whether the user may log in. `unclear` has those of unknown
   * meaning. Both are pairs of a column and its value.
   */
  const said: [string, string][] = []
  const unclear: [string, string][] = []
  let contradiction: Contradiction | undefined
  for (const [column, value] of members) {
    const target = mapping(column)
    // A password could be a word such as `locked`, which messages show.
    if (options.withoutPasswords && isPasswordTarget(target)) continue
    for (const [name, text] of isOpen(target) ? openMembers(column, value) : []) {
      const verdict = states.judge(name, text)
      if (verdict === 'denies') isDenied = true
      if (verdict === 'unknown') unclear.push([name, text])
      const isAnswer = verdict !== 'allows' || (states.concerns(name) && !isAbsent(text))
      if (isAnswer) said.push([name, text])
    }
    if (target === 'enabled' ? value.trim() !== '' : target === 'disabled' && !isAbsent(value)) {
      said.push([column, value])
      const text = value.trim().toLowerCase()
      const isOn = TRUE.has(text)
      if (!isOn && !FALSE.has(text)) faults.push(rowFault('not_boolean', { column }))
      // If several columns say whether the user may log in, each of them can block the user.
      if (isOn === (target === 'disabled')) isDenied = true
    }
    const isText = value !== '' || target?.startsWith('metadata.')
    if (target !== undefined && isText) {
      const before = columns.get(target)
      if (before !== undefined && !agree(target, fields.get(target) ?? '', value)) {
        contradiction ??= { target, columns: [before, column] }
      }
      fields.set(target, value)
      columns.set(target, column)
    }
  }

  const blamed = (fault: RowFaultName, target: Target): RowFault =>
    rowFault(fault, { column: columns.get(target) ?? target })
  const email = (fields.get('email') ?? '').trim()
  // A record that could not be read has a fault already, so no second fault is added for its
  // missing email address.
  const isKnown = members.size > 0 || !fault
  if (isKnown && (!/^[^\s@]+@[^\s@]+$/u.test(email) || email.length > 254)) {
    faults.push(email ? blamed('not_email', 'email') : rowFault('no_email'))
  }
  const { isVerified, verifiedAt } = readVerification(fields, email, (fault, target) => {
    faults.push(blamed(fault, target))
  })
  const metadata = prefixed(fields, 'metadata.')
  checkMetadata(metadata, faults)
  const password = options.withoutPasswords
    ? undefined
    : readPassword(fields, members, options, faults)
  return {
    row,
    line,
    oldId: fields.get('id') ?? '',
    user: {
      profile: {
        ...named(prefixed(fields, 'profile.')),
        email,
        ...(isVerified && { email_verified: true }),
      },
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(isDenied && { disabled: true }),
      ...(verifiedAt !== undefined && { verified_at: verifiedAt }),
    },
    password: password?.kind === 'plain' ? password.password : undefined,
    ...(password?.kind === 'legacy' && { legacy: password.legacy }),
    states: said,
    unclear: isDenied ? [] : unclear,
    // A record with a fault is rejected in any case.
    contradiction: fault ? undefined : contradiction,
    faults,
  }
}

/**
 * The values that may say who can log in: the cell itself and, if the cell is a JSON object, its
 * members.
 */
function openMembers(column: string, value: string): [string, string][] {
  const inner = /^\s*[[{]/.test(value) ? flattenText(value) : undefined
  const members = [...(inner ?? [])].map(([name, text]): [string, string] => [
    `${column}.${name}`,
    text,
  ])
  return [[column, value], ...members]
}

/** Whether a column without a target has a part of a password that is imported. */
export function isPasswordPart(
  column: string,
  { withoutPasswords, firebase }: RowOptions,
): boolean {
  if (withoutPasswords) return false
  return isKeycloakColumn(column) || (firebase !== undefined && column === SALT)
}

/** The column with the salt of a user in a Firebase export. */
const SALT = 'salt'

/**
 * Whether two values of a member mean the same. Two columns that say who may log in always agree,
 * because the value that blocks the user prevails.
 */
function agree(target: Target, one: string, other: string): boolean {
  if (target === 'disabled' || target === 'enabled') return true
  if (target === 'email') return emailKey(one) === emailKey(other)
  const [text, another] = [one.trim(), other.trim()]
  if (text === another || target !== 'email_verified') return text === another
  const flags = [text.toLowerCase(), another.toLowerCase()]
  return flags.every((flag) => TRUE.has(flag)) || flags.every((flag) => FALSE.has(flag))
}

/**
 * Whether a column has no target, or a target in `profile` or `metadata`, which does not affect
 * logins.
 */
export function isOpen(target: Target | undefined): boolean {
  return target === undefined || /^(profile|metadata)\./.test(target)
}

/** Adds a `name` to a profile without one, from the given name and the family name. */
function named(profile: Record<string, string>): Record<string, string> {
  const parts = [profile.given_name, profile.family_name].map((part) => part?.trim())
  const name = parts.filter(Boolean).join(' ')
  return name === '' ? profile : { name, ...profile }
}

/**
 * The key of an email address, by which addresses are compared: trimmed, in lower case and in NFC.
 */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/**
 * Whether the email address is verified, and since when. A date alone says that it is; a flag that
 * denies it beside a date is a fault.
 */
function readVerification(
  fields: ReadonlyMap<string, string>,
  email: string,
  blame: (fault: RowFaultName, target: Target) => void,
): { isVerified: boolean; verifiedAt: string | undefined } {
  const date = fields.get('verified_at')
  const instant = date === undefined ? 'missing' : readInstant(date)
  if (instant === undefined) blame('not_date', 'verified_at')
  const verifiedAt = typeof instant === 'object' ? instant.at : undefined

  const text = (fields.get('email_verified') ?? '').trim().toLowerCase()
  const addresses = text.split(/[\s,;|]+/)
  const isListed = addresses.some((one) => one.includes('@'))
  const isTrue = isListed
    ? addresses.some((one) => emailKey(one) === emailKey(email))
    : TRUE.has(text)
  if (!isTrue && !isListed && !FALSE.has(text)) blame('not_boolean', 'email_verified')
  else if (!isTrue && verifiedAt !== undefined && !isAbsent(text)) {
    blame('verified_and_not', 'email_verified')
  }
  return { isVerified: isTrue || verifiedAt !== undefined, verifiedAt }
}

/** A date of the form 2024-01-31, and after it perhaps a time, a fraction of a second and a zone. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * The last instant that stands for a missing date: 14 hours after the beginning of 1970 in UTC, when
 * that year has begun in every zone. No email address was verified before.
 */
const NEVER_MS = 14 * 3_600_000

/**
 * Reads an instant in the form of the API. A text in this form is kept as it is, with all digits of
 * its seconds. A date without a zone is in UTC. `missing`: a text for a missing date, such as `0`,
 * `NULL`, or the zero date of a database. `undefined`: any other text.
 */
function readInstant(given: string): { at: string } | 'missing' | undefined {
  const text = given.trim()
  if (isNothing(text)) return 'missing'
  const [, day = '', minute = '00:00', second = '00', fraction, zone = 'Z'] = DATE.exec(text) ?? []
  if (day === '') return undefined
  if (day < '1970') return 'missing'
  const midnight = new Date(day)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined
  const digits = fraction === undefined ? '' : `.${fraction.slice(0, 9)}`
  const at = `${day}T${minute}:${second}${digits}${offsetOf(zone)}`
  const millis = Date.parse(at)
  if (Number.isNaN(millis)) return undefined
  return millis <= NEVER_MS ? 'missing' : { at }
}

/** The offset of a zone as RFC 3339 writes it. PostgreSQL leaves out minutes that are zero. */
function offsetOf(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? []
  return hours === undefined ? 'Z' : `${hours}:${minutes}`
}

function prefixed(fields: Map<string, string>, prefix: string): Record<string, string> {
  const chosen = [...fields].filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(chosen.map(([name, value]) => [name.slice(prefix.length), value]))
}

/**
 * The limits of the API for metadata: the number of keys, and the characters of a key and of a
 * value.
 */
const METADATA = { keys: 20, key: 100, value: 1_000 }

function checkMetadata(metadata: Record<string, string>, faults: RowFault[]): void {
  const entries = Object.entries(metadata)
  if (entries.length > METADATA.keys) {
    faults.push(rowFault('metadata_keys', { count: entries.length, most: METADATA.keys }))
  }
  for (const [key, value] of entries) {
    if ([...key].length > METADATA.key) {
      faults.push(rowFault('metadata_key', { most: METADATA.key }))
    }
    if ([...value].length > METADATA.value) {
      const column = `metadata.${key}`
      faults.push(rowFault('metadata_value', { column, most: METADATA.value }))
    }
  }
}

function readPassword(
  fields: Map<string, string>,
  members: ReadonlyMap<string, string>,
  { hashAlgorithm: defaultAlgorithm, firebase }: RowOptions,
  faults: RowFault[],
): FoundPassword | undefined {
  const plain = fields.get('password')
  const hash = fields.get('hash')
  if (plain !== undefined && hash !== undefined) faults.push(rowFault('two_passwords'))
  const secret = hash ?? plain
  if (secret === undefined) return withoutFault(keycloakPassword(members), faults)
  const named = fields.get('alg')?.trim().toLowerCase()
  // Django puts the name of the algorithm before a bcrypt hash.
  const guessed = /^(bcrypt\$)?\$2[abxy]\$/.test(secret) ? 'bcrypt' : undefined
  const scheme = hash === undefined ? undefined : schemeOf(hash)
  const alg =
    (hash === undefined ? 'plain' : undefined) ??
    scheme ??
    ((named ?? guessed) || undefined) ??
    (firebase ? 'firebase' : defaultAlgorithm)
  if (alg === 'firebase' && hash !== undefined && firebase) {
    return withoutFault(firebasePassword(hash, members.get(SALT), firebase), faults)
  }
  if (alg === undefined) {
    faults.push(rowFault('hash_unnamed'))
    return undefined
  }
  if (!isHashName(alg)) {
    faults.push(rowFault('hash_unknown', { all: hashNames.join(', ') }))
    return undefined
  }
  if (!isAlgorithm(alg)) {
    const fault = legacyFault(alg, secret)
    if (fault) faults.push(fault)
    return { kind: 'legacy', legacy: { scheme: alg, hash: secret } }
  }
  const bare = alg === 'bcrypt' ? secret.replace(/^bcrypt\$(?=\$2)/, '') : secret
  const fault = hashFault(alg, bare)
  if (fault) faults.push(fault)
  return { kind: 'plain', password: { alg, hash: bare } }
}

type FoundPassword =
  | { kind: 'plain'; password: NonNullable<ImportRow['password']> }
  | Exclude<RecordPassword, { kind: 'fault' }>

function withoutFault(
  found: RecordPassword | undefined,
  faults: RowFault[],
): Exclude<RecordPassword, { kind: 'fault' }> | undefined {
  if (found?.kind !== 'fault') return found
  faults.push(found.fault)
  return undefined
}

/** Whether a column that is not empty says who may log in. */
export function isStateColumn(column: string, { mapping, states }: RowOptions): boolean {
  return !isOpen(mapping(column)) || states.says(column)
}

/**
 * Whether an empty cell in a column that says who may log in means that the user may log in. So it
 * does in a column such as `blocked`; in one such as `active`, it says nothing.
 */
export function isEmptyAllowing(column: string, { mapping, states }: RowOptions): boolean {
  const target = mapping(column)
  return isOpen(target) ? states.allowsEmpty(column) : target === 'disabled'
}

/**
 * Whether a row says if its user may log in.
 *
 * @param emptyAllows - Whether each column of the file that says who may log in does so by an empty
 *   cell, too.
 */
export function saysState(
  { states }: ImportRow,
  options: RowOptions,
  emptyAllows: boolean,
): boolean {
  return emptyAllows || states.some(([column]) => isStateColumn(column, options))
}
