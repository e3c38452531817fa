// cspell:ignore lockedout gesperrt deaktiviert inaktiv gelöscht geloescht enddate expiresat aktiv wahr falsch nein seit
// cspell:ignore passwordexpired resetrequired forcechangepassword externalprovider nonlocked useraccountcontrol filetime
// cspell:ignore bloqué suspendu désactivé supprimé banni bloqueado suspendido desactivado eliminado baneado bloccato sospeso
// cspell:ignore pwdaccountlockedtime endsat enddateutc canlogin cansignin blockedfor banuntil ACCOUNTDISABLE
// cspell:ignore disattivato eliminato geblokkeerd actif activo attivo ativo actief allowlogin nsaccountlock zustand seit

import { FALSE, TRUE } from './flags.ts'

/** The meaning of a value: it blocks the user, allows the login, or is unknown. */
export type Verdict = 'denies' | 'allows' | 'unknown'

/**
 * A column and one of its values. If the value is `undefined`, the flag is for all values of the
 * column.
 */
export type StateFlag = readonly [column: string, value: string | undefined]

/** Options for columns such as `status` and `banned_until`. */
export interface StateOptions {
  /** The values whose users are imported disabled. Upper and lower case are the same. */
  readonly blocks?: readonly StateFlag[] | undefined
  /** The values, exactly as written, or whole columns, that block no user. */
  readonly allows?: readonly StateFlag[] | undefined
  /** The time in milliseconds since the epoch, for columns that block until a date. */
  readonly now: number
}

/** The rules for columns that may block a user. */
export interface States {
  /** Whether the values of a column may block users. */
  concerns(column: string): boolean
  /**
   * Whether a column says who may log in. A column whose name is not understood does not, if the
   * flags only allow the login; nor does a column that they allow as a whole.
   */
  says(column: string): boolean
  /**
   * Whether an empty value of a column that says who may log in means that the user may. In a column
   * such as `active` or `status`, an empty value says nothing, unless a flag blocks all its values.
   */
  allowsEmpty(column: string): boolean
  /**
   * Whether messages can show a value. The values of a column whose name is not understood may be
   * passwords, so only those are shown that a flag names.
   */
  shows(column: string, value: string): boolean
  /** Returns the meaning of a value of any column. An absent value allows, unless a flag
   * blocks it or the column says who may log in, such as `active`: there only an empty value does. */
  judge(column: string, value: string): Verdict
  /** The flags that no judged value has matched, as `column=value` or `column`. */
  unused(): string[]
}

/** The words in column names that mean a user who must not log in. */
const DENIED = [
  'suspended|deactivated|inactive|disabled|banned|blocked|locked|lockedout|(soft)?deleted|archived|revoked|terminated|frozen',
  'blacklisted|barred|closed|removed|trashed|expired|spam|spammer|gesperrt|deaktiviert|inaktiv|gelöscht|geloescht',
  'bloqué|suspendu|désactivé|supprimé|banni|bloqueado|suspendido|desactivado|eliminado|baneado|bloccato|sospeso|disattivato|eliminato|geblokkeerd',
].join('|')

/**
 * The patterns of the column names whose values are understood, by kind. The names are those that
 * {@link bareName} returns.
 */
const kinds = {
  flag: new RegExp(`^(${DENIED}|ban|block|lock|suspend|nsaccountlock)$`),
  since: new RegExp(
    `^((${DENIED}|delete|deletion|deactivation|suspension|ban|lock)(at|on|am|seit|since|date|time|timestamp|datetime|ts)|pwdaccountlockedtime)$`,
  ),
  until: new RegExp(
    `^(${DENIED}|suspend|suspensions?|bans?|blocks?|locks?|lockout|silenced)(until|till|bis|to|end|ends|endsat|enddate|enddateutc|expires|expire|expiresat|expiry)$`,
  ),
  /** The names of columns with a date after which the user may not log in. */
  ends: /^((valid|active|enabled|access)(until|till|bis|to)|expir(es|y|ation)(at|on|date|time)?)$/,
  enabled: new RegExp(
    `^(enabled?|active|activated|approved|aktiv|canlogin|cansignin|allowed|allowlogin|actif|activo|attivo|ativo|actief|(un|non|not)(${DENIED}))$`,
  ),
  word: /^(lifecycle|current)?(status|state|zustand)(id|code|name|text|value|type)?$/,
  /** The column `userAccountControl` of Active Directory, a bit field. */
  bits: /^control$/,
}

/** The column names that suggest a blocked user, but whose values are not understood. */
const SUSPICIOUS =
  /suspen[ds]|deactivat|deaktiv|inactiv|disabled|^ban(s|ned|reason|expire)?|blocked|locked|lockout(?!enabled)|deleted|archived|revoked|terminated|frozen|blacklist|barred|silenced|quarantin|restricted|denied|gesperrt|(account|user|login)b?lock$|(until|till)$/

/**
 * The column names of a state that may belong to the user or to something else, such as an address.
 */
const SOME_STATE = /(status|state)$/

/** The beginnings of column names that contain `ban` but mean something else. */
const HARMLESS = /^(bank|banner|band)/

/**
 * The paths of objects whose `status`, `state`, `enabled` and `active` are about the user.
 * Elsewhere, these may be about an address, for example.
 */
const OF_THE_USER = /^((fields|attributes|user|account|lifecycle|profile|status|state)\.)*$/

/** The names of objects about blocked users. Any member of such an object may block the user. */
const DENYING_PARENT = new RegExp(
  `^(${DENIED}|bans?|blocks?|locks?|lockout|suspensions?|blockedfor)$`,
)

const denyingWords = new Set(
  'suspended,deprovisioned,inactive,disabled,blocked,banned,locked,lockedout,deleted,archived,deactivated,compromised,revoked,terminated,removed,rejected,closed,frozen,gesperrt,deaktiviert,inaktiv,gelöscht,geloescht'.split(
    ',',
  ),
)
const allowingWords = new Set(
  'active,enabled,confirmed,unconfirmed,verified,unverified,ok,normal,approved,provisioned,staged,recovery,passwordexpired,resetrequired,forcechangepassword,externalprovider,aktiv'.split(
    ',',
  ),
)

/**
 * The values that may mean a blocked user in a column of any name. The importer has to decide each
 * such value.
 */
const strongWords = new Set(
  'suspended,deprovisioned,deactivated,banned,blocked,locked,lockedout,terminated,gesperrt,deaktiviert,bloqué,suspendu,bloqueado,suspendido,baneado,sospeso'.split(
    ',',
  ),
)

/** The length up to which a value is compared with `strongWords`. */
const LONGEST_WORD = 40

/** The texts by which databases and spreadsheets represent a missing value. */
const NO_VALUE = new Set(
  ['null', 'none', 'nil', 'undefined', '-', '\\n', '(null)', '<null>', '[null]'].concat(
    ...['n/a', '#n/a', 'nan', '[]', '{}'],
  ),
)

/** Whether a value is missing: empty, or one of the texts for a missing value. */
export function isAbsent(value: string): boolean {
  const text = value.trim().toLowerCase()
  return text === '' || NO_VALUE.has(text)
}

const NOTHING = new Set([...FALSE, ...NO_VALUE, 'never', '-infinity'])

/** Creates the rules from the flags and the current time. */
export function createStates({ blocks = [], allows = [], now }: StateOptions): States {
  const flags = new Map<string, Verdict>()
  for (const [column, value] of blocks) flags.set(keyOf(column, value), 'denies')
  for (const [column, value] of allows) flags.set(keyOf(column, value), 'allows')
  // A value that blocks also does so in other letter cases, unless a flag names that spelling.
  const blockedWords = new Map(
    blocks.map(([column, value]) => [keyOf(column, value?.toLowerCase()), keyOf(column, value)]),
  )
  const blocking = new Set(blocks.map(([column]) => column))
  const flagged = new Set([...blocks, ...allows].map(([column]) => column))
  const unused = new Set(flags.keys())
  const known = new Map<string, Kind | undefined>()

  function kindOf(column: string): Kind | undefined {
    if (!known.has(column)) known.set(column, findKind(column))
    return known.get(column)
  }

  /** The key of the flag that names a value; `undefined` if there is none. */
  function flagOf(column: string, value: string): string | undefined {
    const exact = keyOf(column, value)
    return flags.has(exact) ? exact : blockedWords.get(keyOf(column, value.toLowerCase()))
  }

  /**
   * The verdict of the flag for a value or its column; `undefined` if there is no flag. A flag that
   * blocks a whole column does not block users whose cell is empty.
   */
  function byFlag(column: string, value: string): Verdict | undefined {
    const whole = keyOf(column, undefined)
    const key = flagOf(column, value) ?? whole
    const verdict = flags.get(key)
    if (verdict !== undefined) unused.delete(key)
    return key === whole && verdict === 'denies' && isNothing(value) ? 'allows' : verdict
  }

  function concerns(column: string): boolean {
    const kind = kindOf(column)
    return flagged.has(column) || (kind !== undefined && kind !== 'some')
  }

  return {
    concerns,
    says(column) {
      if (blocking.has(column) || !flagged.has(column)) return concerns(column)
      const kind = kindOf(column)
      const isUnderstood = kind !== undefined && kind !== 'some' && kind !== 'suspicious'
      return isUnderstood && !flags.has(keyOf(column, undefined))
    },
    allowsEmpty(column) {
      if (flags.get(keyOf(column, undefined)) === 'denies') return true
      const kind = kindOf(column)
      return kind !== 'enabled' && kind !== 'word' && kind !== 'bits'
    },
    shows(column, value) {
      const kind = kindOf(column)
      const isKnown = kind !== undefined && kind !== 'suspicious'
      return isKnown || flagOf(column, value.trim()) !== undefined
    },
    judge(column, value) {
      const kind = kindOf(column)
      const text = value.trim()
      const isFlagged = flagged.has(column)
      if (!kind && !isFlagged && text.length > LONGEST_WORD) return 'allows'
      const lower = text.toLowerCase()
      const verdict = isFlagged ? byFlag(column, text) : undefined
      return verdict ?? (kind ? judgeAs(kind, lower, now) : judgeWord(lower))
    },
    unused: () => [...unused].map((key) => JSON.parse(key).join('=')),
  }
}

type Kind = keyof typeof kinds | 'suspicious' | 'some'

const keyOf = (column: string, value: string | undefined) =>
  JSON.stringify(value === undefined ? [column] : [column, value])

/**
 * The kind of a column by its name, ignoring case and separators. An element of a list has the kind
 * of the list.
 */
function findKind(column: string): Kind | undefined {
  const plain = column.replace(/(\.\d+)+$/, '')
  const at = plain.lastIndexOf('.') + 1
  const name = bareName(plain.slice(at))
  if (HARMLESS.test(name)) return undefined
  const above = plain.slice(0, at)
  const parent = bareName(
    above
      .replaceAll(/\.\d+(?=\.)/g, '')
      .split('.')
      .at(-2) ?? '',
  )
  const kind = kindBy(name, OF_THE_USER.test(above.toLowerCase()))
  // A member `until` of the object `ban` is judged as a column `banuntil`.
  return DENYING_PARENT.test(parent) ? (kindBy(parent + name, true) ?? kind ?? 'suspicious') : kind
}

function kindBy(name: string, isOfUser: boolean): Kind | undefined {
  for (const kind of ['flag', 'since', 'until', 'ends', 'enabled', 'word', 'bits'] as const) {
    if (!kinds[kind].test(name)) continue
    if (isOfUser || !OF_OTHERS_TOO.has(kind)) return kind
    return SOME_STATE.test(name) ? 'some' : undefined
  }
  if (SUSPICIOUS.test(name)) return 'suspicious'
  return SOME_STATE.test(name) ? 'some' : undefined
}

/** The kinds whose column names mean something else in objects that are not about the user. */
const OF_OTHERS_TOO: ReadonlySet<Kind> = new Set(['enabled', 'word', 'ends', 'bits'])

/**
 * The letters of a column name in lower case, without leading words such as `is`, `user` and
 * `account`.
 */
function bareName(name: string): string {
  const letters = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, '')
  return letters.replace(
    /^(custom|is|was|has|been|user|account|acct|member|customer|login)+(?=\p{L})/u,
    '',
  )
}

function judgeAs(kind: Kind, text: string, now: number): Verdict {
  // In a column such as `active`, NULL blocks as `false` does: the file does not say that the user may log in.
  if (text === '' || (isAbsent(text) && kind !== 'enabled')) return 'allows'
  switch (kind) {
    case 'flag':
      if (TRUE.has(text)) return 'denies'
      if (isNothing(text)) return 'allows'
      return instantOf(text) === undefined ? 'unknown' : 'denies'
    case 'since':
      return isNothing(text) ? 'allows' : 'denies'
    case 'until':
      return judgeUntil(text, now)
    case 'ends':
      return judgeEnd(text, now)
    case 'bits':
      // ACCOUNTDISABLE is 2, LOCKOUT is 16.
      if (!/^\d{1,9}$/.test(text)) return 'unknown'
      return (Number(text) & 18) === 0 ? 'allows' : 'denies'
    case 'enabled':
      if (TRUE.has(text)) return 'allows'
      return isNothing(text) ? 'denies' : 'unknown'
    case 'word': {
      const word = wordOf(text)
      if (denyingWords.has(word)) return 'denies'
      return allowingWords.has(word) ? 'allows' : 'unknown'
    }
    case 'some':
      return denyingWords.has(wordOf(text)) ? 'unknown' : 'allows'
    case 'suspicious':
      return isNothing(text) ? 'allows' : 'unknown'
  }
}

/** Judges a value of a column of unknown name that no flag names. */
function judgeWord(text: string): Verdict {
  return text.length <= LONGEST_WORD && strongWords.has(wordOf(text)) ? 'unknown' : 'allows'
}

/**
 * The word in a status, without its prefix and separators: `user_state_locked` becomes `locked`.
 */
const wordOf = (text: string): string =>
  text.replaceAll(/[^\p{L}]/gu, '').replace(/^(user|account|state|status)+/u, '')

/** The value of Active Directory for an account that never expires. */
const NO_END = '9223372036854775807'

/** Judges a date after which the user may not log in. */
function judgeEnd(text: string, now: number): Verdict {
  if (isNothing(text) || text === NO_END || /^infinity/.test(text)) return 'allows'
  const at = instantOf(text)
  if (at === undefined) return 'unknown'
  return at > now ? 'allows' : 'denies'
}

function judgeUntil(text: string, now: number): Verdict {
  if (isNothing(text)) return 'allows'
  if (/^(infinity|forever|permanent)/.test(text)) return 'denies'
  const at = instantOf(text)
  if (at === undefined) return 'unknown'
  return at > now ? 'denies' : 'allows'
}

/** Whether a text represents false or a missing value, such as a date of zeros. */
export const isNothing = (text: string): boolean =>
  NOTHING.has(text.toLowerCase()) || /^0000-00-00/.test(text)

/**
 * Parses an instant, and returns it in milliseconds since the epoch; `undefined` if the text is no
 * date. A number may be in seconds, milliseconds, microseconds, Excel days or FILETIME units.
 */
function instantOf(text: string): number | undefined {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Number(text) * 1_000
  if (/^\d{12,13}$/.test(text)) return Number(text)
  if (/^\d{15,16}$/.test(text)) return Number(text) / 1_000
  // Excel counts days since 1900, and 25569 is the first day of 1970.
  if (/^[2-7]\d{4}(\.\d+)?$/.test(text)) return (Number(text) - 25_569) * 86_400_000
  // FILETIME counts 100 ns since 1601, as Active Directory does.
  if (/^\d{17,18}$/.test(text)) return Number(text) / 10_000 - 11_644_473_600_000
  if (!/\d{4}/.test(text)) return undefined
  // PostgreSQL writes the zone without minutes.
  const plain = text.replace(/(:[\d.]+[+-]\d\d)$/, '$1:00')
  const [, day, mark, month, rest] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4}.*)$/.exec(plain) ?? []
  const byDay = Date.parse(`${month}/${day}/${rest}`)
  // With dots, the day comes first. With slashes, the day or the month may come first. Then the
  // later date is used, because it blocks the user for longer.
  const readings = mark === '.' ? [byDay] : [Date.parse(plain), byDay]
  const instants = readings.filter((one) => !Number.isNaN(one))
  return instants.length > 0 ? Math.max(...instants) : undefined
}
