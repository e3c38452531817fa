import { type Kysely, sql } from 'kysely'
import type { Engine } from '../sql/engine.ts'
import { COUNTER_SHARDS } from './migrations.ts'

/**
 * Counters of several rows each, so that inserts do not wait for each other. All rows are made at
 * once, so that a deletion finds every one.
 */
export function createCounters(writer: Kysely<never>): Engine['counters'] {
  return {
    create: (scopes) =>
      sql`insert into counter_shards
        select scope, shard, 0 from unnest(${scopes}::text[]) as scope,
          generate_series(0, ${sql.lit(COUNTER_SHARDS - 1)}) as shard`.execute(writer),
    add: (scope, by) =>
      sql`update counter_shards set n = n + ${sql.lit(by)}
        where scope = ${scope} and shard = 0`.execute(writer),
    remove: (scopes) =>
      sql`delete from counter_shards where scope = any(${scopes}::text[])`.execute(writer),
  }
}

/** The row of a counter in which an object is counted. */
export function shardOf(id: string): number {
  let sum = 0
  for (let i = Math.max(0, id.length - 8); i < id.length; i++) sum = sum * 31 + id.charCodeAt(i)
  return sum % COUNTER_SHARDS
}
