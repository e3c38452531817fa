// cspell:ignore lockedout gesperrt deaktiviert inaktiv gelöscht geloescht enddate expiresat aktiv wahr falsch nein seit
// cspell:ignore passwordexpired resetrequired forcechangepassword externalprovider

import { FALSE, TRUE } from './flags.ts'

/** The meaning of a value: its user must not log in, may log in, or it is not known. */
export type Verdict = 'denies' | 'allows' | 'unknown'

/** A column, with the value of it that is meant; without one, all of them. */
export type StateFlag = readonly [column: string, value: string | undefined]

/** How columns such as `status` or `banned_until` are read. */
export interface StateOptions {
  /** Values whose users are imported disabled. */
  readonly blocks?: readonly StateFlag[] | undefined
  /** Values, or columns, that deny nothing. */
  readonly allows?: readonly StateFlag[] | undefined
  /** Milliseconds since the epoch, for columns that deny until a date. */
  readonly now: number
}

/** The rules for columns that may say that a user must not log in. */
export interface States {
  /** Whether values of a column are to be judged. */
  concerns(column: string): boolean
  /** Judges a value of such a column. */
  judge(column: string, value: string): Verdict
  /** Flags that no value was judged by, as they were given. */
  unused(): string[]
}

/** Words for a user who must not log in, as columns are named after them. */
const DENIED =
  'suspended|deactivated|inactive|disabled|banned|blocked|locked|lockedout|deleted|archived|revoked|terminated|frozen|blacklisted|barred|closed|gesperrt|deaktiviert|inaktiv|gelöscht|geloescht'

/** The kinds of columns whose values are understood, by their names without what {@link bareName} removes. */
const kinds = {
  flag: new RegExp(`^(${DENIED})$`),
  since: new RegExp(
    `^(${DENIED}|deletion|deactivation|suspension|ban|lock)(at|on|am|seit|date|time|timestamp|datetime|ts)$`,
  ),
  until: new RegExp(
    `^(${DENIED}|suspend|suspension|ban|block|lock|lockout|silenced)(until|till|bis|end|ends|enddate|expires|expiresat|expiry)$`,
  ),
  enabled: /^(enabled|active|activated|approved|aktiv|canlogin|loginenabled|loginallowed)$/,
  word: /^(lifecycle|login)?(status|state)$/,
}

/** Names that sound like one of those, and whose values are not known. */
const SUSPICIOUS =
  /suspen[ds]|deactivat|deaktiv|inactiv|disabled|^ban(s|ned|reason|expire)?|blocked|locked|lockout(?!enabled)|deleted|archived|revoked|terminated|frozen|blacklist|barred|silenced|quarantin|restricted|denied|gesperrt|(until|till)$/

/** Names that begin so, and mean something else. */
const HARMLESS = /^(bank|banner|band)/

/** Parents under which `status`, `state`, `enabled` and `active` are those of the user, and not of an address, say. */
const OF_THE_USER = /^((fields|attributes|user|account|lifecycle)\.)*$/

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

const NOTHING = new Set([...FALSE, 'none', 'never', 'nil', '-', '\\n'])

/** Makes the rules. */
export function createStates({ blocks = [], allows = [], now }: StateOptions): States {
  const flags = new Map<string, Verdict>()
  for (const [column, value] of blocks) flags.set(keyOf(column, value), 'denies')
  for (const [column, value] of allows) flags.set(keyOf(column, value), 'allows')
  const flagged = new Set([...blocks, ...allows].map(([column]) => column))
  const unused = new Set(flags.keys())
  const known = new Map<string, Kind | undefined>()

  function kindOf(column: string): Kind | undefined {
    if (!known.has(column)) known.set(column, findKind(column))
    return known.get(column)
  }

  /** The verdict of a flag; of one for all values, nothing in a cell is no denial. */
  function byFlag(column: string, value: string): Verdict | undefined {
    const exact = keyOf(column, value)
    const whole = keyOf(column, undefined)
    const key = flags.has(exact) ? exact : whole
    const verdict = flags.get(key)
    if (verdict !== undefined) unused.delete(key)
    return key === whole && verdict === 'denies' && isNothing(value) ? 'allows' : verdict
  }

  return {
    concerns: (column) => flagged.has(column) || kindOf(column) !== undefined,
    judge(column, value) {
      const text = value.trim()
      const kind = kindOf(column)
      return byFlag(column, text) ?? (kind ? judgeAs(kind, text.toLowerCase(), now) : 'allows')
    },
    unused: () => [...unused].map((key) => JSON.parse(key).join('=')),
  }
}

type Kind = keyof typeof kinds | 'suspicious'

const keyOf = (column: string, value: string | undefined) =>
  JSON.stringify(value === undefined ? [column] : [column, value])

/** The kind of a column by its name, in any case and spelling. */
function findKind(column: string): Kind | undefined {
  const at = column.lastIndexOf('.') + 1
  const name = bareName(column.slice(at))
  if (HARMLESS.test(name)) return undefined
  const isOfUser = OF_THE_USER.test(column.slice(0, at).toLowerCase())
  for (const kind of ['flag', 'since', 'until', 'enabled', 'word'] as const) {
    if (kinds[kind].test(name)) {
      return isOfUser || (kind !== 'enabled' && kind !== 'word') ? kind : undefined
    }
  }
  return SUSPICIOUS.test(name) ? 'suspicious' : undefined
}

/** The letters of a name, without words that say only that it is about a user. */
function bareName(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^\p{L}]/gu, '')
  return letters.replace(/^(custom|is|was|has|been|user|account|member|customer)+(?=\p{L})/u, '')
}

function judgeAs(kind: Kind, text: string, now: number): Verdict {
  if (text === '') return 'allows'
  switch (kind) {
    case 'flag':
      if (TRUE.has(text)) return 'denies'
      if (isNothing(text)) return 'allows'
      return instantOf(text) === undefined ? 'unknown' : 'denies'
    case 'since':
      return isNothing(text) ? 'allows' : 'denies'
    case 'until':
      return judgeUntil(text, now)
    case 'enabled':
      if (TRUE.has(text)) return 'allows'
      return isNothing(text) ? 'denies' : 'unknown'
    case 'word': {
      const word = text.replaceAll(/[^\p{L}]/gu, '').replace(/^(user|account|state|status)+/u, '')
      if (denyingWords.has(word)) return 'denies'
      return allowingWords.has(word) ? 'allows' : 'unknown'
    }
    case 'suspicious':
      return isNothing(text) ? 'allows' : 'unknown'
  }
}

function judgeUntil(text: string, now: number): Verdict {
  if (isNothing(text)) return 'allows'
  if (/^(infinity|forever|permanent)/.test(text)) return 'denies'
  const at = instantOf(text)
  if (at === undefined) return 'unknown'
  return at > now ? 'denies' : 'allows'
}

/** A value that databases write where there is none; a date of zeros is one. */
const isNothing = (text: string): boolean =>
  NOTHING.has(text.toLowerCase()) || /^0000-00-00/.test(text)

/** An instant in milliseconds; a number is one in seconds or milliseconds. */
function instantOf(text: string): number | undefined {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Number(text) * 1_000
  if (/^\d{12,13}$/.test(text)) return Number(text)
  if (!/\d{4}/.test(text)) return undefined
  // PostgreSQL writes the zone without minutes.
  const plain = text.replace(/(:[\d.]+[+-]\d\d)$/, '$1:00')
  const [, day, mark, month, rest] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4}.*)$/.exec(plain) ?? []
  const byDay = Date.parse(`${month}/${day}/${rest}`)
  // With dots, the day comes first. With slashes, either may, and the later date keeps out longer.
  const readings = mark === '.' ? [byDay] : [Date.parse(plain), byDay]
  const instants = readings.filter((one) => !Number.isNaN(one))
  return instants.length > 0 ? Math.max(...instants) : undefined
}
