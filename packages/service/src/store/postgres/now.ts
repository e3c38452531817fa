import type { Clock } from '../../clock.ts'
import { type Sql, sql } from '../sql/sql.ts'

/**
 * The expression for the present time in microseconds.
 *
 * @param clock - For tests that move it. Default: PostgreSQL's clock, because those of several machines differ.
 */
export function createNow(clock?: Clock): () => Sql {
  return () =>
    clock
      ? sql`${Math.floor(clock.now() * 1e3)}::bigint`
      : sql`(extract(epoch from now()) * 1e6)::bigint`
}
