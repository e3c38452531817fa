import type { LoginWay, Micros } from '../records.ts'
import { domainKey } from '../search-text.ts'
import {
  type Found,
  type RangeScan,
  type SearchPage,
  searchRows,
  type UserQuery,
  type UserState,
} from '../user-search.ts'
import type { Engine } from './engine.ts'
import { every as columnsIn, type Row } from './schema.ts'
import { join, name, raw, type Sql, separators, sql } from './sql.ts'

type Scanned = Row<'users'> & { scan: number }
type FoundRow = Row<'users'> & { domain_key: string }

/**
 * Makes the search for users by a prefix. An empty prefix lists all users in the order of their
 * ids. The scans of a round are one statement.
 */
export function createUserSearch({
  reader,
  indexedBy,
  trigrams,
}: Pick<Engine, 'reader' | 'indexedBy' | 'trigrams'>): (
  tenantId: string,
  query: UserQuery,
  page: SearchPage,
) => Promise<Found<FoundRow>> {
  /**
   * The statement of a scan. `n`: the number of the scan, which is in the column `scan` of its
   * rows.
   */
  function scanOf(tenantId: string, scan: RangeScan, n: number): Sql {
    const { column, after, before, limit } = scan
    const { way, others } = wayIn(scan)
    if (column === 'id' && way !== undefined) {
      return sql`select ${every}, ${raw(String(n))} as scan from (
        select ${every} from ${usersBy(tenantId, way, indexedBy)}
          and user_id >= ${after.key} and user_id <> ${after.id} and user_id < ${before}
          and ${stateOf(tenantId, { ...others, column }).states}
        order by user_id limit ${limit}) as ${name(`scan_${n}`)}`
    }
    const by = column === 'domain_key' ? trigrams.domain : name(column)
    const { index, states } = stateOf(tenantId, scan)
    // In a scan by id, the key is the id. `after.id` may be the id of a row that another column's
    // scan found.
    const isBehind =
      column === 'id'
        ? sql`id >= ${after.key} and id <> ${after.id}`
        : sql`(${by}, id) > (${after.key}, ${after.id})`
    return sql`select ${every}, ${raw(String(n))} as scan from (
      select ${every} from users ${index === undefined ? sql`` : indexedBy(index)}
      where tenant_id = ${tenantId} and ${isBehind} and ${by} < ${before} and ${states}
      order by ${by}, id limit ${limit}) as ${name(`scan_${n}`)}`
  }

  return (tenantId, query, page) =>
    searchRows(query, page, async (scans) => {
      const parts = scans.map((scan, n) => scanOf(tenantId, scan, n))
      const found: FoundRow[][] = scans.map(() => [])
      for (const row of await reader.all(sql<Scanned>`${join(parts, separators.unionAll)}`)) {
        found[row.scan]?.push({ ...row, domain_key: domainKey(row.email_key) })
      }
      return found
    })
}

const every = columnsIn('users')

/** The last part of the name of an index, by the column that the index sorts by. */
const indexSuffixes = {
  email_key: '_by_email',
  name_key: '_by_name',
  family_name_key: '_by_family_name',
  domain_key: '_by_domain',
  id: '',
} as const

/**
 * The conditions for users in a state, and the index that sorts these users by `column`.
 *
 * @returns `index`: the name of the index; `undefined` if the primary key is used, which is sorted
 *   by id.
 */
export function stateOf(
  tenantId: string,
  { column, disabled, verified, lastWay, notSince }: UserState & Pick<RangeScan, 'column'>,
): {
  index: string | undefined
  states: Sql
} {
  // The conditions are written exactly as in the partial indexes. Otherwise, the database would not
  // use these indexes.
  const states: string[] = []
  if (disabled !== undefined) states.push(`disabled = ${Number(disabled)}`)
  if (verified !== undefined) states.push(`verified_at is ${verified ? 'not null' : 'null'}`)
  if (column === 'name_key' || column === 'family_name_key') states.push(`${column} > ''`)
  const rows = disabled ? 'users_disabled' : verified === false ? 'users_unverified' : 'users'
  const index = `${rows}${indexSuffixes[column]}`
  return {
    index: index === 'users' ? undefined : index,
    states: join(
      [
        raw(states.join(' and ') || '1 = 1'),
        ...(lastWay === undefined ? [] : [loggedInBy(tenantId, lastWay)]),
        ...(notSince === undefined ? [] : [notLoggedInSince(tenantId, notSince)]),
      ],
      separators.and,
    ),
  }
}

/** Splits a state into the method of the last login and the other conditions. */
export function wayIn({ lastWay, ...others }: UserState): {
  way: UserState['lastWay']
  others: UserState
} {
  return { way: lastWay, others }
}

/**
 * The text after `from` that reads the users whose last login used a method, in the order of an
 * index by `user_id`. Further conditions can follow with `and`.
 */
export function usersBy(
  tenantId: string,
  way: LoginWay | 'never',
  indexedBy: (index: string) => Sql,
): Sql {
  const of =
    way === 'never'
      ? sql`never_logged_in where tenant_id = ${tenantId}`
      : sql`last_logins ${indexedBy('last_logins_by_way')}
          where tenant_id = ${tenantId} and way = ${way}`
  return sql`(select user_id from ${of}) as of_way
    cross join users where tenant_id = ${tenantId} and id = user_id`
}

/**
 * The condition that the last login of a user used a method, or that the user has never logged in.
 * The condition refers to the column `id` of `users`.
 */
export function loggedInBy(tenantId: string, way: LoginWay | 'never'): Sql {
  return way === 'never'
    ? sql`exists (select 1 from never_logged_in where never_logged_in.tenant_id = ${tenantId} and user_id = id)`
    : sql`id in (select user_id from last_logins where last_logins.tenant_id = ${tenantId} and way = ${way})`
}

function notLoggedInSince(tenantId: string, at: Micros): Sql {
  return sql`created_at < ${at} and not exists (select 1 from last_logins
    where last_logins.tenant_id = ${tenantId} and user_id = id and at >= ${at})`
}
