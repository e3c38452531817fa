import { sql } from 'kysely'
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

/** The search for users of an SQL store: the scans of a round are one statement. */
export function createUserSearch({
  reader,
}: Pick<Engine, 'reader'>): (
  tenantId: string,
  query: UserQuery,
  page: SearchPage,
) => Promise<Found<UserRow>> {
  const statements = new Map<string, (...values: Value[]) => Promise<Scanned[]>>()

  function prepare(scans: readonly RangeScan[]): (...values: Value[]) => Promise<Scanned[]> {
    return prepared<Value[], Scanned>(reader, 1 + 4 * scans.length, (tenantId, ...values) => {
      const [first, ...others] = scans.map(({ column, only }, n) => {
        const [key, id, before, limit] = values.slice(4 * n, 4 * n + 4) as [
          Value,
          Value,
          Value,
          Value,
        ]
        const by = sql.ref(column)
        // An id is its own key. The other part of the place is the key of another column.
        const isBehind =
          column === 'id'
            ? sql<boolean>`id >= ${key} and id <> ${id}`
            : sql<boolean>`(${by}, id) > (${key}, ${id})`
        const rows = reader
          .selectFrom('users')
          .select(columns.users)
          .where('tenant_id', '=', tenantId as string)
          .where(isBehind)
          .where(sql<boolean>`${by} < ${before}`)
          .where(indexed(column, only))
          .orderBy(column)
          .orderBy('id')
          .limit(limit as number)
        return reader
          .selectFrom(rows.as(`scan_${n}`))
          .select(columns.users)
          .select(sql.lit(n).as('scan'))
      })
      if (!first) throw new Error('A search has at least one scan.')
      return others.reduce((all, one) => all.unionAll(one), first) as never
    })
  }

  return (tenantId, query, page) =>
    searchRows(query, page, async (scans) => {
      const shape = scans.map(({ column, only }) => `${column} ${only}`).join()
      const statement = statements.get(shape) ?? prepare(scans)
      statements.set(shape, statement)
      const values = scans.flatMap(({ after, before, limit }) => [
        ...[after.key, after.id, before, limit],
      ])
      const found: UserRow[][] = scans.map(() => [])
      for (const row of await statement(tenantId, ...values)) found[row.scan]?.push(row)
      return found
    })
}

/** The condition of a partial index, in its own words: otherwise it would not be used. */
function indexed(column: RangeScan['column'], only: RangeScan['only']) {
  if (only === 'disabled') return sql<boolean>`disabled = 1`
  if (only === 'unverified') return sql<boolean>`verified_at is null`
  const hasNoEmpty = column === 'name_key' || column === 'family_name_key'
  return hasNoEmpty ? sql<boolean>`${sql.ref(column)} > ''` : sql<boolean>`1 = 1`
}
