import type { Engine, Queries } from '../../sql/engine.ts'
import { raw, sql } from '../../sql/sql.ts'
import { COUNTER_SHARDS } from '../migrations.ts'

const SHARDS = raw(`generate_series(0, ${COUNTER_SHARDS - 1})`)

/**
 * Makes counters with several rows each, so that inserts do not wait for each other. All rows of a
 * counter are created at once, so that a deletion of the counter finds every row.
 */
export function createCounters(writer: Queries): Engine['counters'] {
  return {
    create: (scopes) =>
      writer.run(sql`insert into counter_shards (scope, shard, n)
        select scope, shard, 0 from unnest(${scopes}::text[]) as scope, ${SHARDS} as shard`),
    add: (scope, by) =>
      writer.run(sql`update counter_shards set n = n + ${by} where scope = ${scope} and shard = 0`),
    remove: (scopes) =>
      writer.run(sql`delete from counter_shards where scope = any(${scopes}::text[])`),
  }
}

/** The number of the row of a counter that counts the object with this id. */
export function shardOf(id: string): number {
  let sum = 0
  for (let i = Math.max(0, id.length - 8); i < id.length; i++) sum = sum * 31 + id.charCodeAt(i)
  return sum % COUNTER_SHARDS
}
