import type { Clock } from '../../clock.ts'
import { type Sql, sql } from '../sql/sql.ts'

/**
 * Makes the function that returns the expression for the current time in microseconds.
 *
 * @param clock - A clock for tests that move the time. Default: PostgreSQL's clock, because the
 *   clocks of several machines differ.
 */
export function createNow(clock?: Clock): () => Sql {
  return () =>
    clock
      ? sql`${Math.floor(clock.now() * 1e3)}::bigint`
      : sql`(extract(epoch from now()) * 1e6)::bigint`
}
