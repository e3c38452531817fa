import type { Queries } from '../sql/engine.ts'
import type { Sql } from '../sql/sql.ts'
import type { Run } from './statements.ts'

/**
 * Makes {@link Queries} that run each statement with `run`. The caller begins and ends
 * transactions.
 */
export function createPostgresQueries(run: Run): Queries {
  return {
    all: async <R>(statement: Sql<R>) => (await run(statement)).rows,
    first: async <R>(statement: Sql<R>) => (await run(statement)).rows[0],
    run: async (statement) => (await run(statement)).rowCount ?? 0,
  }
}
