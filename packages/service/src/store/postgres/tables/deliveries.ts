import { join, name, names, raw, type Sql, sql } from '../../sql/sql.ts'
import type { DeliveryDatabase } from '../../sql/tables/deliveries.ts'
import type { Connections } from '../connections.ts'

/** PostgreSQL as the deliveries use it. */
export function createDeliveryDatabase(connections: Connections, now: () => Sql): DeliveryDatabase {
  return {
    read: async <R>(statement: Sql<R>) => (await connections.read(statement)).rows,
    write: async <R>(statement: Sql<R>) => (await connections.write(statement)).rows,
    now,
    table(json, columns) {
      const typed = Object.entries(columns).map(
        ([column, type]) => sql`${name(column)} ${raw(type)}`,
      )
      // An alias with the types stands behind the function, so it is in a query of its own.
      return sql`(select ${names(Object.keys(columns))}
        from json_to_recordset(${json}::json) as given (${join(typed)}))`
    },
    jsonRows: (_, from) =>
      sql`(select coalesce(json_agg(given)::text, '[]') from ${from} as given)`,
    // Beside events that are being added, which only rely on the endpoint's being there.
    locked: sql`for no key update of lane`,
    skipLocked: sql`for no key update skip locked`,
  }
}
