import { type AnyRow, join, name, names, raw, type Sql, sql } from '../../sql/sql.ts'

/** Columns of numbers; all others are text. */
const numbers = new Set([
  'disabled',
  'verified_at',
  'sessions_valid_after',
  'created_at',
  'updated_at',
  'rev',
  'at',
  'work',
])

/** Rows as a table for `from`, with their columns. One JSON parameter is cheaper than an array for each column. */
export function tableOf(table: string, rows: readonly AnyRow[]): { columns: Sql; from: Sql } {
  const columns = Object.keys(rows[0] ?? {})
  const typed = columns.map(
    (column) => sql`${name(column)} ${raw(numbers.has(column) ? 'bigint' : 'text')}`,
  )
  return {
    columns: names(columns),
    from: sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${name(table)} (${join(typed)})`,
  }
}
