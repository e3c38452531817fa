import { setImmediate } from 'node:timers/promises'
import { emailKey } from './email-key.ts'
import type { LoginWay, Micros, User } from './records.ts'

/** A filter of users; omitted members do not filter. */
export interface UserQuery {
  /**
   * The beginning of an address, a name, a family name, of a domain with its `@`, or of an id with its `usr_`, in any
   * case.
   */
  search?: string | undefined
  disabled?: boolean | undefined
  verified?: boolean | undefined
  /**
   * Finds `search` also in the middle of an address or a name, and without accents. This needs three letters or digits
   * in a row, and an index of trigrams: see {@link UserStore.findsInside}. All else is found by its beginning.
   */
  inside?: boolean | undefined
  /** How the user has logged in last; `never`: not at all. The way of logins before release 0.3.0 is not known. */
  lastWay?: LoginWay | 'never' | undefined
  /** Users who were there before this instant, and have not logged in since: those included who never have. */
  notSince?: Micros | undefined
  /** The order of a list without `search`; default `oldest`. */
  order?: UserOrder | undefined
}

/**
 * The order of a list: by creation; by name, leaving out users without one; or by the last login,
 * the latest first, leaving out users who have never logged in. The order by login is that of all
 * users: of the filters, it heeds `lastWay` alone.
 */
export const userOrders = ['oldest', 'newest', 'name', 'login'] as const

/** One of {@link userOrders}. */
export type UserOrder = (typeof userOrders)[number]

/** The place of a user among those that were found. */
export interface SearchCursor {
  /** The key by which the user was found. */
  key: string
  id: string
}

/** A page of the users found: at most `limit` of those that follow `after`. */
export interface SearchPage {
  after: SearchCursor | undefined
  limit: number
}

/** A part of the users found. With `next` there are more; a part is never short before the last one. */
export interface Found<T> {
  items: T[]
  next: SearchCursor | undefined
}

/** The columns by which users are found. */
export type SearchColumn = 'email_key' | 'name_key' | 'family_name_key' | 'domain_key' | 'id'

/** A row of a user, as far as a search looks at it. */
export interface SearchRow {
  id: string
  email_key: string
  /** `null`: from before there was such a column. */
  name_key: string | null
  family_name_key: string | null
  domain_key: string | null
}

/** The users in a state; what is omitted does not narrow. */
export type UserState = Pick<UserQuery, 'disabled' | 'verified' | 'lastWay' | 'notSince'>

/** The state that a query asks for. */
export function stateIn({ disabled, verified, lastWay, notSince }: UserQuery): UserState {
  return { disabled, verified, lastWay, notSince }
}

/** The rows in a state with keys that begin with a text, in the order of the key and the id. */
export interface RangeScan extends UserState {
  column: SearchColumn
  /**
   * The scan begins after this place. Its id may belong to a row that another column's scan found.
   */
  after: SearchCursor
  /** Only rows before this key. */
  before: string
  limit: number
}

/**
 * The number of code points of a name that are searched. An index of PostgreSQL cannot hold long
 * texts.
 */
export const SEARCH_LENGTH = 254

/**
 * The number of rows that each scan of a round reads at most. During a round no other request is
 * answered.
 */
const MAX_SCAN_ROWS = 4_000

/** The form in which names and searches are compared: trimmed, NFC and in lower case. */
export function searchKey(text: string): string {
  const key = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  return key.length > SEARCH_LENGTH ? [...key].slice(0, SEARCH_LENGTH).join('') : key
}

/** The columns of a user for searches. */
export function searchKeys({ profile }: Pick<User, 'profile'>): {
  name_key: string
  family_name_key: string
} {
  return {
    name_key: searchKey(profile.name ?? ''),
    family_name_key: searchKey(profile.family_name ?? ''),
  }
}

/** Prefixes of the keys of the users searched for. Words are compared from their beginning only. */
function prefixesOf(search: string | undefined): Partial<Record<SearchColumn, string>> {
  const text = searchKey(search ?? '')
  if (text === '') return {}
  if (text.startsWith('@')) return { domain_key: emailKey(text).slice(1) }
  // The part behind the @ is compared as the DNS knows it.
  const email_key = text.includes('@') ? emailKey(text) : text
  if (text.startsWith('usr_')) return { id: text, email_key }
  return { email_key, name_key: text, family_name_key: text }
}

/** The last code point. */
export const LAST = '\u{10ffff}'

/**
 * Finds users by a few range scans at a time, which are merged. A user whom several scans meet is found at the first
 * of these places; behind it, scans go on until the page is full. Without a text to search, users come in the order
 * of their ids.
 *
 * @param scan - Runs the scans at one moment; answers with the rows of each.
 */
export async function searchRows<R extends SearchRow>(
  { search, ...state }: UserQuery,
  { after, limit }: SearchPage,
  scan: (scans: readonly RangeScan[]) => Promise<R[][]>,
): Promise<Found<R>> {
  const asked = Object.entries(prefixesOf(search)) as [SearchColumn, string][]
  const columns: [SearchColumn, string][] = asked.length > 0 ? asked : [['id', '']]
  const items: R[] = []
  let place = after ?? { key: '', id: '' }

  for (let size = limit + 1; ; size = Math.min(4 * size, MAX_SCAN_ROWS)) {
    const from = place
    const results = await scan(
      columns.map(([column, prefix]) => ({
        ...{ ...stateIn(state), column },
        after: laterOf(from, { key: prefix, id: '' }),
        before: `${prefix}${LAST}`,
        limit: size,
      })),
    )
    const met = results.flatMap((rows, i) => {
      const [column] = columns[i] as [SearchColumn, string]
      return rows.map((row) => ({ row, column, key: String(row[column]), id: row.id }))
    })
    // Behind the end of a scan that was cut off, it may have rows that are still to come.
    const ends = results.flatMap((rows, i) => {
      const last = rows.at(-1)
      const [column] = columns[i] as [SearchColumn, string]
      return rows.length === size && last ? [{ key: String(last[column]), id: last.id }] : []
    })
    const horizon = ends.sort(compareCursors)[0]
    for (const { row, column, key, id } of met.sort(compareCursors)) {
      if (horizon && compareCursors({ key, id }, horizon) > 0) break
      const isWanted = column === firstColumn(row, columns)
      if (isWanted && items.length === limit) return { items, next: place }
      place = { key, id }
      if (isWanted) items.push(row)
    }
    if (!horizon) return { items, next: undefined }
    place = horizon
    // Other requests of this process go first.
    await setImmediate()
  }
}

/** The column at whose place a row is found: that of its first key, among those which match. */
function firstColumn(row: SearchRow, columns: [SearchColumn, string][]): SearchColumn | undefined {
  let first: SearchColumn | undefined
  for (const [column, prefix] of columns) {
    const key = row[column]
    if (!key?.startsWith(prefix)) continue
    if (first === undefined || compareText(key, row[first] as string) < 0) first = column
  }
  return first
}

function laterOf(a: SearchCursor, b: SearchCursor): SearchCursor {
  return compareCursors(a, b) > 0 ? a : b
}

/** The order in which users are found. */
export function compareCursors(a: SearchCursor, b: SearchCursor): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id)
}

/** Compares code points, as databases do; JavaScript compares UTF-16. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
