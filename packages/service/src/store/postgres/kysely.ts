import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Queries } from '../sql/engine.ts'
import type { Run } from './connections.ts'

/**
 * Kysely over something that runs statements. Transactions are begun and ended outside of it, by
 * what owns the connection.
 */
export function createPostgresKysely<S>(run: Run): Queries<S> {
  const connection: DatabaseConnection = {
    executeQuery: async (query) => resultOf(await run(query, false)),
    // biome-ignore lint/correctness/useYield: a port of Kysely's that nothing here calls
    async *streamQuery() {
      throw new Error('Streaming is not offered; read page by page.')
    },
  }
  const db = new Kysely<S>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => createDriver(connection),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return Object.assign(db, {
    run: async <R>(query: Parameters<Run>[0]): Promise<QueryResult<R>> =>
      resultOf(await run(query, true)),
  })
}

function resultOf<R>({ rows, rowCount }: Awaited<ReturnType<Run>>): QueryResult<R> {
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
}

function createDriver(connection: DatabaseConnection): Driver {
  const none = async () => {}
  return {
    init: none,
    acquireConnection: async () => connection,
    beginTransaction: none,
    commitTransaction: none,
    rollbackTransaction: none,
    releaseConnection: none,
    destroy: none,
  }
}
