import type pg from 'pg'
import { statementName } from '../../telemetry/statement-name.ts'
import { inClientSpan, isTraced } from '../../telemetry/tracing.ts'
import { type Sql, textOf } from '../sql/sql.ts'
import { isStalePlan } from './failure.ts'

/** The configuration of a query for `pg`, whose types lack `query_timeout` in milliseconds. */
type QueryConfig = pg.QueryConfig & { query_timeout?: number }

/** The answer to a statement. */
export interface Rows<R = unknown> {
  rows: R[]
  rowCount: number | null
}

/** A function that runs a statement on one connection. */
export type Run = <R>(statement: Sql<R>) => Promise<Rows<R>>

/**
 * A function that runs a statement on the given connection. `limit`: the time limit of this
 * statement, in milliseconds.
 */
export type Ask = <R>(
  client: pg.ClientBase,
  statement: Sql<R>,
  limit?: Pick<QueryConfig, 'query_timeout'>,
) => Promise<Rows<R>>

/**
 * Makes the function that runs statements on any connection.
 *
 * @param preparedStatements - Whether each statement is prepared once per connection.
 */
export function createAsk(preparedStatements: boolean): Ask {
  const names = new Map<string, string>()
  /** The number of times that all statements had to be prepared again. */
  let generation = 0

  function queryOf(statement: Sql): QueryConfig & { text: string } {
    const text = textOf(statement, 'postgres')
    const values = statement.values.map(withoutNul)
    if (!preparedStatements || statement.isKept === false) return { text, values }
    let name = names.get(text)
    if (name === undefined) {
      name = `latchkey_${generation}_${names.size}`
      names.set(text, name)
    }
    return { name, text, values }
  }

  /**
   * Runs a statement. If its plan is stale, the call rejects, and every statement is prepared again
   * at its next use.
   */
  return async <R>(
    client: pg.ClientBase,
    statement: Sql<R>,
    limit: Pick<QueryConfig, 'query_timeout'> = {},
  ): Promise<Rows<R>> => {
    const preparedIn = generation
    try {
      const query = { ...queryOf(statement), ...limit }
      const run = async () => await client.query<R & pg.QueryResultRow>(query)
      if (!isTraced()) return await run()
      return await inClientSpan('postgresql', statementName(query.text), run)
    } catch (error) {
      if (isStalePlan(error) && preparedIn === generation) {
        generation++
        names.clear()
      }
      throw error
    }
  }
}

/** Runs a transaction, and repeats it once if it was rolled back because a plan was stale. */
export async function oncePreparedAgain<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!isStalePlan(error)) throw error
    return transaction()
  }
}

/**
 * Replaces U+0000 in a text by U+0001, because PostgreSQL refuses U+0000. A look-up with U+0000
 * must find nothing, and no stored id or address contains U+0001.
 */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\u0001')
    : value
}
