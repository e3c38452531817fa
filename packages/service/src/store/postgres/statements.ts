import type pg from 'pg'
import { statementName } from '../../telemetry/statement-name.ts'
import { inClientSpan, isTraced } from '../../telemetry/tracing.ts'
import { type Sql, textOf } from '../sql/sql.ts'
import { isStalePlan } from './failure.ts'

/** A query of `pg`, whose types lack the time limit of a single query. */
type QueryConfig = pg.QueryConfig & { query_timeout?: number }

/** The answer to a statement. */
export interface Rows<R = unknown> {
  rows: R[]
  rowCount: number | null
}

/** Runs a statement on one connection. */
export type Run = <R>(statement: Sql<R>) => Promise<Rows<R>>

/** Runs a statement on a connection. The statement may have its own time limit. */
export type Ask = <R>(
  client: pg.ClientBase,
  statement: Sql<R>,
  limit?: Pick<QueryConfig, 'query_timeout'>,
) => Promise<Rows<R>>

/**
 * Makes the function that runs all statements.
 *
 * @param preparedStatements - Whether each is prepared once per connection.
 */
export function createAsk(preparedStatements: boolean): Ask {
  const names = new Map<string, string>()
  /** How often all statements had to be prepared again. */
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

  /** Runs a query. If its plan is stale, every statement is prepared again at its next use. */
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

/** Repeats a transaction that was rolled back because a plan was stale. */
export async function oncePreparedAgain<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!isStalePlan(error)) throw error
    return transaction()
  }
}

/**
 * PostgreSQL refuses U+0000 in text. No stored text has it, so a look-up with it must find nothing. It is replaced by
 * U+0001, which no id or address contains.
 */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\u0001')
    : value
}
