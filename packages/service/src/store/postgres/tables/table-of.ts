import { type AnyRow, join, name, names, raw, type Sql, sql } from '../../sql/sql.ts'

/** The columns with numbers. All other columns have text. */
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

/**
 * Makes a table for `from` out of rows, and the list of its columns. A JSON parameter is cheaper
 * than an array for each column.
 *
 * @param table - The alias of the table.
 */
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
