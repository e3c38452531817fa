import type { Engine } from '../sql/engine.ts'
import { join, name, raw, type Sql, sql } from '../sql/sql.ts'
import type { DeliveryDatabase } from '../sql/tables/deliveries.ts'

/**
 * Makes the interface of SQLite for the deliveries.
 *
 * @param now - Makes the expression for the current time, by the clock of the only process that
 *   sends.
 */
export function createDeliveryDatabase(
  { reader, writer, write }: Engine,
  now: () => Sql,
): DeliveryDatabase {
  return {
    read: reader.all,
    write: (statement) => write(() => writer.all(statement)),
    now,
    table(json, columns) {
      const names = Object.keys(columns).map(
        (column) => sql`value ->> ${raw(`'${column}'`)} as ${name(column)}`,
      )
      return sql`(select ${join(names)} from json_each(${json}))`
    },
    jsonRows(columns, from) {
      const members = columns.map((column) => sql`${raw(`'${column}'`)}, ${name(column)}`)
      return sql`(select json_group_array(json_object(${join(members)})) from ${from})`
    },
    locked: sql``,
    skipLocked: sql``,
  }
}
