import { emailKey } from './email-key.ts'
import type { User } from './records.ts'

/** A filter of users; omitted members do not filter. */
export interface UserQuery {
  /** The beginning of an address, a name, a family name, or of an id with its `usr_`, in any case. */
  search?: string | undefined
  disabled?: boolean | undefined
  verified?: boolean | undefined
}

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

/**
 * A part of the users found. With `next` there may be more; a part may be short, even empty, as a search
 * looks at a bounded number of users at a time.
 */
export interface Found<T> {
  items: T[]
  next: SearchCursor | undefined
}

/** The columns by which users are found. */
export type SearchColumn = 'email_key' | 'name_key' | 'family_name_key' | 'id'

/** A row of a user, as far as a search looks at it. */
export interface SearchRow {
  id: string
  email_key: string
  /** `null`: from before there was such a column. */
  name_key: string | null
  family_name_key: string | null
  disabled: number
  verified_at: number | null
}

/** The rows with keys that begin with a text, in the order of the key and the id. */
export interface RangeScan {
  column: SearchColumn
  /** Only rows behind this place; the id of another column's row may stand in it. */
  after: SearchCursor
  /** Only rows before this key. */
  before: string
  /** Rows that an index of their own holds. */
  only: 'disabled' | 'unverified' | undefined
  limit: number
}

/** How many code points of a name are searched: an index of PostgreSQL takes no long ones. */
export const SEARCH_LENGTH = 254

/** How many rows the further scans of one search read, each. The first one reads a page and one more. */
const SCAN_ROWS = 500
const MAX_ROUNDS = 3

/** The form in which names and searches are compared: trimmed, NFC and in lower case. */
export function searchKey(text: string): string {
  const key = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  return key.length > SEARCH_LENGTH ? [...key].slice(0, SEARCH_LENGTH).join('') : key
}

/** The columns of a user that are there to be searched. */
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
  // The part behind the @ is compared as the DNS knows it.
  const email_key = text.includes('@') ? emailKey(text) : text
  if (text.startsWith('usr_')) return { id: text, email_key }
  return { email_key, name_key: text, family_name_key: text }
}

/** The last code point. */
export const LAST = '\u{10ffff}'

/**
 * Finds users by a few range scans at a time, which are merged: it costs the same on the last page as on
 * the first. A user whom several scans meet is found at the first of these places. Without a text to
 * search, users come in the order of their ids.
 *
 * @param scan - Runs the scans at one moment; answers with the rows of each.
 */
export async function searchRows<R extends SearchRow>(
  { search, disabled, verified }: UserQuery,
  { after, limit }: SearchPage,
  scan: (scans: readonly RangeScan[]) => Promise<R[][]>,
): Promise<Found<R>> {
  const asked = Object.entries(prefixesOf(search)) as [SearchColumn, string][]
  const columns: [SearchColumn, string][] = asked.length > 0 ? asked : [['id', '']]
  // An index of rows in one state is in the order of ids.
  const only = asked.length > 0 ? undefined : stateIndex(disabled, verified)
  const items: R[] = []
  let place = after ?? { key: '', id: '' }

  for (let round = 0; round < MAX_ROUNDS; round++) {
    const size = round === 0 ? limit + 1 : Math.max(SCAN_ROWS, limit + 1)
    const from = place
    const results = await scan(
      columns.map(([column, prefix]) => ({
        column,
        after: laterOf(from, { key: prefix, id: '' }),
        before: `${prefix}${LAST}`,
        only,
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
      const isWanted =
        column === firstColumn(row, columns) &&
        (disabled === undefined || (row.disabled === 1) === disabled) &&
        (verified === undefined || (row.verified_at !== null) === verified)
      if (isWanted && items.length === limit) return { items, next: place }
      place = { key, id }
      if (isWanted) items.push(row)
    }
    if (!horizon) return { items, next: undefined }
    place = horizon
  }
  return { items, next: place }
}

function stateIndex(disabled?: boolean, verified?: boolean): RangeScan['only'] {
  if (disabled === true) return 'disabled'
  return verified === false ? 'unverified' : undefined
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

/** By code points, as databases sort; JavaScript compares UTF-16. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
