import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { statementName } from '../../telemetry/statement-name.ts'
import { inClientSpanNow } from '../../telemetry/tracing.ts'
import type { Queries } from '../sql/engine.ts'
import { storeFailure } from './failure.ts'

type Run = <R>(query: Pick<CompiledQuery, 'sql' | 'parameters'>) => QueryResult<R>

/**
 * Kysely over one `node:sqlite` connection. The connection's owner makes sure that a transaction
 * has it alone.
 *
 * @param before - Resolves when a query may run. Default: at once.
 */
export function createSqliteKysely<S>(
  database: DatabaseSync,
  before?: () => Promise<void>,
): Queries<S> {
  const runNow = createRunner(database)
  const run: Queries<S>['run'] = before
    ? async (query) => {
        await before()
        return runNow(query)
      }
    : runNow
  const connection: DatabaseConnection = {
    executeQuery: async (query) => run(query),
    // biome-ignore lint/correctness/useYield: a port of Kysely's that nothing here calls
    async *streamQuery() {
      throw new Error('Streaming is not offered; read page by page.')
    },
  }
  const dialect = createDialect(database, connection)
  return Object.assign(new Kysely<S>({ dialect }), { run })
}

function createDialect(database: DatabaseSync, connection: DatabaseConnection): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database, connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver(database: DatabaseSync, connection: DatabaseConnection): Driver {
  async function run(sql: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(sql))
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    rollbackTransaction: () => run('rollback'),
    releaseConnection: async () => {},
    destroy: async () => database.close(),
  }
}

function createRunner(database: DatabaseSync): Run {
  const statements = new Map<string, { statement: StatementSync; hasRows: boolean }>()

  /** Prepared once per text: the service has a few dozen, none made of what callers send. */
  function prepare(sql: string): { statement: StatementSync; hasRows: boolean } {
    let known = statements.get(sql)
    if (!known) {
      const statement = database.prepare(sql)
      known = { statement, hasRows: statement.columns().length > 0 }
      statements.set(sql, known)
    }
    return known
  }

  const run: Run = ({ sql, parameters }) => {
    try {
      const { statement, hasRows } = prepare(sql)
      const values = parameters as SQLInputValue[]
      if (hasRows) return { rows: statement.all(...values) as never[] }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw storeFailure(error)
    }
  }
  return (query) =>
    inClientSpanNow(
      'sqlite',
      () => statementName(query.sql),
      () => run(query),
    )
}
