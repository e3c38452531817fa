import { type RawBuilder, sql } from 'kysely'
import type { Micros } from '../records.ts'
import type { DeliveryDatabase } from '../sql/deliveries.ts'
import type { Engine } from '../sql/engine.ts'

/**
 * SQLite as the deliveries use it.
 *
 * @param now - The time, of the only process that sends.
 */
export function createDeliveryDatabase(
  { reader, writer, write }: Engine,
  now: () => Micros,
): DeliveryDatabase {
  return {
    read: async (query) => (await query.execute(reader)).rows,
    write: (query) => write(async () => (await query.execute(writer)).rows),
    now: () => sql<Micros>`cast(${now()} as integer)`,
    table(json, columns): RawBuilder<unknown> {
      const names = Object.keys(columns).map(
        (name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`,
      )
      return sql`(select ${sql.join(names)} from json_each(${json}))`
    },
    jsonRows(columns, from) {
      const members = columns.flatMap((name) => [sql.lit(name), sql.ref(name)])
      return sql`(select json_group_array(json_object(${sql.join(members)})) from ${from})`
    },
    locked: sql``,
    skipLocked: sql``,
  }
}
