import { type RawBuilder, sql } from 'kysely'
import { domainKey } from '../search-text.ts'
import {
  type Found,
  type RangeScan,
  type SearchPage,
  searchRows,
  type UserQuery,
} from '../user-search.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared, type Value } from './prepared.ts'
import type { UserRow } from './schema.ts'

type Scanned = UserRow & { scan: number }
type FoundRow = UserRow & { domain_key: string }

/** The search for users of an SQL store: the scans of a round are one statement. */
export function createUserSearch({
  reader,
  indexedBy,
  trigrams,
}: Pick<Engine, 'reader' | 'indexedBy' | 'trigrams'>): (
  tenantId: string,
  query: UserQuery,
  page: SearchPage,
) => Promise<Found<FoundRow>> {
  const statements = new Map<string, (...values: Value[]) => Promise<Scanned[]>>()

  function prepare(scans: readonly RangeScan[]): (...values: Value[]) => Promise<Scanned[]> {
    return prepared<Value[], Scanned>(reader, 1 + 4 * scans.length, (tenantId, ...values) => {
      const selected = scans.map((scan, n) => {
        const [key, id, before, limit] = values.slice(4 * n, 4 * n + 4)
        const { column } = scan
        const by = column === 'domain_key' ? trigrams.domain : sql.ref(column)
        const { index, states } = stateOf(scan)
        // An id is its own key. The other part of the place is the key of another column.
        const isBehind =
          column === 'id' ? sql`id >= ${key} and id <> ${id}` : sql`(${by}, id) > (${key}, ${id})`
        return sql`select ${every}, ${sql.lit(n)} as scan from (
          select ${every} from users ${index === undefined ? sql`` : indexedBy(index)}
          where tenant_id = ${tenantId} and ${isBehind} and ${by} < ${before} and ${states}
          order by ${by}, id limit ${limit}) as ${sql.ref(`scan_${n}`)}`
      })
      const all = sql<Scanned>`${sql.join(selected, sql` union all `)}`
      return { compile: () => all.compile(reader) }
    })
  }

  return (tenantId, query, page) =>
    searchRows(query, page, async (scans) => {
      const shape = scans
        .map(({ column, disabled, verified }) => `${column} ${disabled} ${verified}`)
        .join()
      const statement = statements.get(shape) ?? prepare(scans)
      statements.set(shape, statement)
      const values = scans.flatMap(({ after, before, limit }) => [
        ...[after.key, after.id, before, limit],
      ])
      const found: FoundRow[][] = scans.map(() => [])
      for (const row of await statement(tenantId, ...values)) {
        found[row.scan]?.push({ ...row, domain_key: domainKey(row.email_key) })
      }
      return found
    })
}

/** The columns of users. */
export const every: RawBuilder<unknown> = sql.join(columns.users.map((name) => sql.ref(name)))

/** The ends of the names of indexes by the columns of a search. */
const indexNames = {
  email_key: '_by_email',
  name_key: '_by_name',
  family_name_key: '_by_family_name',
  domain_key: '_by_domain',
  id: '',
} as const

/** The conditions of a scan, and the index of the rows in its state; `undefined` for the table, which is in the order of ids. */
export function stateOf({
  column,
  disabled,
  verified,
}: Pick<RangeScan, 'column' | 'disabled' | 'verified'>): {
  index: string | undefined
  states: RawBuilder<unknown>
} {
  // In the words of the indexes: otherwise these would not be used.
  const states: string[] = []
  if (disabled !== undefined) states.push(`disabled = ${Number(disabled)}`)
  if (verified !== undefined) states.push(`verified_at is ${verified ? 'not null' : 'null'}`)
  if (column === 'name_key' || column === 'family_name_key') states.push(`${column} > ''`)
  const rows = disabled ? 'users_disabled' : verified === false ? 'users_unverified' : 'users'
  const index = `${rows}${indexNames[column]}`
  return {
    index: index === 'users' ? undefined : index,
    states: sql.raw(states.join(' and ') || '1 = 1'),
  }
}
