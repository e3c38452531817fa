import { join, name, names, raw, type Sql, sql } from '../../sql/sql.ts'
import type { DeliveryDatabase } from '../../sql/tables/deliveries.ts'
import type { Connections } from '../connections.ts'

/** Makes the interface of PostgreSQL for the deliveries. */
export function createDeliveryDatabase(connections: Connections, now: () => Sql): DeliveryDatabase {
  return {
    read: async <R>(statement: Sql<R>) => (await connections.read(statement)).rows,
    write: async <R>(statement: Sql<R>) => (await connections.write(statement)).rows,
    now,
    table(json, columns) {
      const typed = Object.entries(columns).map(
        ([column, type]) => sql`${name(column)} ${raw(type)}`,
      )
      // The function is in a subquery, because it needs an alias with types after it.
      return sql`(select ${names(Object.keys(columns))}
        from json_to_recordset(${json}::json) as given (${join(typed)}))`
    },
    jsonRows: (_, from) =>
      sql`(select coalesce(json_agg(given)::text, '[]') from ${from} as given)`,
    // This lock does not block events that are being added, which only need the endpoint to exist.
    locked: sql`for no key update of lane`,
    skipLocked: sql`for no key update skip locked`,
  }
}
