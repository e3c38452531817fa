import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { statementName } from '../../telemetry/statement-name.ts'
import { inClientSpanNow } from '../../telemetry/tracing.ts'
import type { Queries } from '../sql/engine.ts'
import { type Sql, textOf } from '../sql/sql.ts'
import { storeFailure } from './failure.ts'

/**
 * Makes {@link Queries} for a `node:sqlite` connection. The caller makes sure that nothing else
 * uses the connection during a transaction.
 *
 * @param before - Resolves when a statement may run. Default: statements run at once.
 */
export function createSqliteQueries(database: DatabaseSync, before?: () => Promise<void>): Queries {
  const statements = new Map<string, StatementSync>()

  /**
   * Prepares a statement, once for each text if `isKept` is set. The service has a few dozen texts
   * to keep, which contain nothing that callers send.
   */
  function prepare(text: string, isKept: boolean): StatementSync {
    const known = statements.get(text)
    if (known) return known
    const statement = database.prepare(text)
    if (isKept) statements.set(text, statement)
    return statement
  }

  function runNow<T>(sql: Sql, how: (statement: StatementSync, values: SQLInputValue[]) => T): T {
    const text = textOf(sql, 'sqlite')
    return inClientSpanNow(
      'sqlite',
      () => statementName(text),
      () => {
        try {
          return how(prepare(text, sql.isKept ?? true), sql.values as SQLInputValue[])
        } catch (error) {
          throw storeFailure(error)
        }
      },
    )
  }

  return {
    async all<R>(statement: Sql<R>) {
      if (before) await before()
      return runNow(statement, (prepared, values) => prepared.all(...values)) as R[]
    },
    async first<R>(statement: Sql<R>) {
      if (before) await before()
      return runNow(statement, (prepared, values) => prepared.get(...values)) as R | undefined
    },
    async run(statement) {
      if (before) await before()
      return runNow(statement, (prepared, values) => Number(prepared.run(...values).changes))
    },
  }
}
