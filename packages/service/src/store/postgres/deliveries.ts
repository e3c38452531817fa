import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import type { Micros } from '../records.ts'
import type { DeliveryDatabase } from '../sql/deliveries.ts'
import type { Connections } from './connections.ts'
import { createPostgresKysely } from './kysely.ts'

/**
 * PostgreSQL as the deliveries use it.
 *
 * @param clock - For tests that move it. Default: that of PostgreSQL, as those of several machines differ.
 */
export function createDeliveryDatabase(connections: Connections, clock?: Clock): DeliveryDatabase {
  const compiler = createPostgresKysely<unknown>(connections.read)
  const compiled = (query: RawBuilder<unknown>) => query.compile(compiler)
  return {
    read: async <R>(query: RawBuilder<R>) =>
      (await connections.read(compiled(query), true)).rows as R[],
    write: async <R>(query: RawBuilder<R>) =>
      (await connections.write(compiled(query))).rows as R[],
    now: () =>
      clock
        ? sql<Micros>`${Math.floor(clock.now() * 1e3)}::bigint`
        : sql<Micros>`(extract(epoch from now()) * 1e6)::bigint`,
    table(json, columns) {
      const names = Object.keys(columns).map((name) => sql.ref(name))
      const typed = Object.entries(columns).map(
        ([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`,
      )
      // An alias with the types stands behind the function, so it is in a query of its own.
      return sql`(select ${sql.join(names)}
        from json_to_recordset(${json}::json) as given (${sql.join(typed)}))`
    },
    jsonRows: (_, from) =>
      sql`(select coalesce(json_agg(given)::text, '[]') from ${from} as given)`,
    // Beside events that are being added, which only rely on the endpoint's being there.
    locked: sql`for no key update of lane`,
    skipLocked: sql`for no key update skip locked`,
  }
}
