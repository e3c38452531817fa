import { setImmediate } from 'node:timers/promises'
import { emailKey } from './email-key.ts'
import type { LoginWay, Micros, User } from './records.ts'

/** A filter of users and the order of the list. Omitted members do not filter. */
export interface UserQuery {
  /**
   * The beginning of an email address, a name, a family name, a domain with its `@`, or an id with
   * its `usr_`. Upper and lower case are the same.
   */
  search?: string | undefined
  disabled?: boolean | undefined
  verified?: boolean | undefined
  /**
   * Also finds `search` in the middle of an address or a name, and without accents. This needs
   * three letters or digits in a row, and an index of trigrams; see {@link UserStore.findsInside}.
   * Otherwise, a search finds only beginnings.
   */
  inside?: boolean | undefined
  /**
   * The method of the last login, or `never` for users who have not logged in. The methods of
   * logins before release 0.3.0 are unknown.
   */
  lastWay?: LoginWay | 'never' | undefined
  /**
   * Finds users created before this time who have not logged in since, including users who have
   * never logged in.
   */
  notSince?: Micros | undefined
  /** The order of a list without `search`. Default: `oldest`. */
  order?: UserOrder | undefined
}

/**
 * The order of a list. `name` leaves out users without a name. `login` begins with the latest
 * login, leaves out users who have never logged in, and applies only the filter `lastWay`.
 */
export const userOrders = ['oldest', 'newest', 'name', 'login'] as const

/** One of {@link userOrders}. */
export type UserOrder = (typeof userOrders)[number]

/** The position of a user or tenant in a list. */
export interface SearchCursor {
  /** The key by which the user or tenant was found. */
  key: string
  id: string
}

/** A page of a list: at most `limit` items after the position `after`, or from the start. */
export interface SearchPage {
  after: SearchCursor | undefined
  limit: number
}

/**
 * One page of the items found. `next` is the `after` of the next page; `undefined` on the last
 * page. Every other page has as many items as its limit.
 */
export interface Found<T> {
  items: T[]
  next: SearchCursor | undefined
}

/** The columns that a search for users compares. */
export type SearchColumn = 'email_key' | 'name_key' | 'family_name_key' | 'domain_key' | 'id'

/** The columns of a user that a search reads. */
export interface SearchRow {
  id: string
  email_key: string
  /** `null`: the row was written before this column existed. */
  name_key: string | null
  family_name_key: string | null
  domain_key: string | null
}

/** The state of the users to find. Omitted members do not filter. */
export type UserState = Pick<UserQuery, 'disabled' | 'verified' | 'lastWay' | 'notSince'>

/** The part of a query that is about the state. */
export function stateIn({ disabled, verified, lastWay, notSince }: UserQuery): UserState {
  return { disabled, verified, lastWay, notSince }
}

/** A range of users in a state whose key begins with a text, in the order of key and id. */
export interface RangeScan extends UserState {
  column: SearchColumn
  /**
   * The position after which the range begins. Its id may be of a user whom another column's scan
   * found.
   */
  after: SearchCursor
  /** The key before which the range ends. */
  before: string
  limit: number
}

/**
 * The number of code points of a name that a search compares. An index of PostgreSQL cannot hold
 * long texts.
 */
export const SEARCH_LENGTH = 254

/**
 * The maximum number of rows that each scan of a round reads. Other requests wait during a round.
 */
const MAX_SCAN_ROWS = 4_000

/**
 * The form in which names and searches are compared: trimmed, NFC, in lower case, and at most
 * {@link SEARCH_LENGTH} code points.
 */
export function searchKey(text: string): string {
  const key = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  return key.length > SEARCH_LENGTH ? [...key].slice(0, SEARCH_LENGTH).join('') : key
}

/** Makes the columns of a user that searches by a prefix compare. */
export function searchKeys({ profile }: Pick<User, 'profile'>): {
  name_key: string
  family_name_key: string
} {
  return {
    name_key: searchKey(profile.name ?? ''),
    family_name_key: searchKey(profile.family_name ?? ''),
  }
}

/** The prefix to search for in each column. Empty without a search text. */
function prefixesOf(search: string | undefined): Partial<Record<SearchColumn, string>> {
  const text = searchKey(search ?? '')
  if (text === '') return {}
  if (text.startsWith('@')) return { domain_key: emailKey(text).slice(1) }
  // The domain after the `@` is compared in its DNS form.
  const email_key = text.includes('@') ? emailKey(text) : text
  if (text.startsWith('usr_')) return { id: text, email_key }
  return { email_key, name_key: text, family_name_key: text }
}

/**
 * The highest code point: no text with a prefix sorts after the prefix followed by this code point.
 */
export const LAST = '\u{10ffff}'

/**
 * Finds users by range scans, one for each column, and merges their results. A user whom several
 * scans find is listed once, at the first position. Further rounds of scans follow until the page
 * is full. Without a search text, users are listed in the order of their ids.
 *
 * @param scan - Runs the scans of a round on one state of the database. Resolves to the rows of
 *   each scan.
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
    // A scan that reached its limit may find more rows after its end, so results beyond this end
    // are not used yet.
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
    // Lets other requests of this process go first.
    await setImmediate()
  }
}

/**
 * The column by which a row is listed: of all columns that match, the column with the first key.
 */
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

/** Compares positions by key, then by id. */
export function compareCursors(a: SearchCursor, b: SearchCursor): number {
  return compareText(a.key, b.key) || compareText(a.id, b.id)
}

/** Compares code points, like the databases. JavaScript itself compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
