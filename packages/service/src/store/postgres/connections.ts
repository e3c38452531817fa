import pg from 'pg'
import { type Sql, textOf } from '../sql/sql.ts'
import { isConnectionLost, storeFailure } from './failure.ts'
import { createPool, useOf } from './pools.ts'
import { createReaders } from './readers.ts'
import { createAsk, oncePreparedAgain, type Rows, type Run } from './statements.ts'

/** The options for connections to PostgreSQL. */
export interface PostgresOptions {
  /** The URL of the database, such as `postgres://latchkey:password@db.internal/latchkey`. */
  url: string
  /**
   * Whether each statement is prepared once per connection. Set `false` behind a PgBouncer before
   * 1.21 in transaction mode. Default `true`.
   */
  preparedStatements?: boolean
}

/** Connections to one PostgreSQL database. They are opened when needed, and closed when lost. */
export interface Connections {
  /**
   * Runs a statement that only reads, on a connection that other reads share. A read whose
   * connection was lost is repeated.
   */
  read<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs a quick read on a separate connection. Call it at regular intervals. If the connection is
   * lost or there is no response in time, all connections except those for locks are replaced, and
   * reads in progress are repeated.
   */
  heartbeat<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs one statement that may write, as a transaction of its own. Rejects with an {@link
   * OutcomeUnknownError} if the answer to the statement was lost.
   */
  write<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs `work` with a connection of its own. Throws if `work` calls `use` or `write`, because
   * calls that hold a connection and wait for another one could block each other. A statement that
   * ends with `commit` rejects with an {@link OutcomeUnknownError} if its answer was lost.
   */
  use<T>(work: (run: Run) => Promise<T>): Promise<T>
  /**
   * Runs `work` like `use`, on one of a few connections that are only for locks. `work` may use
   * other connections.
   */
  useForLock<T>(work: (run: Run) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const WRITERS = 10
/**
 * The maximum number of connections for locks. It exceeds the number of tasks that may hold a lock
 * for minutes: erasing tenants, sealing secrets again, and sealing the audit log.
 */
const LOCKS = 4

/**
 * The time, in milliseconds, after which a heartbeat without a response replaces the connections.
 */
const HEARTBEAT_MS = 2_500
const CONNECT_MS = 5_000
const QUERY_MS = 10_000

/**
 * PostgreSQL's id of the type `bigint`. Our values of this type are below 2^53, so they are read as
 * numbers.
 */
const INT8 = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as never)) as never,
}

/**
 * Makes the connections, without opening one yet.
 *
 * @param limits - `queryMs`: the maximum time of a statement, in milliseconds; 0 for no limit.
 *   Default: {@link QUERY_MS}.
 */
export function createConnections(
  { url, preparedStatements = true }: PostgresOptions,
  { queryMs = QUERY_MS }: { queryMs?: number } = {},
): Connections {
  const settings = {
    connectionString: url,
    application_name: 'latchkey',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: queryMs,
    keepAlive: true,
    types,
  }
  const ask = createAsk(preparedStatements)
  const readers = createReaders(settings, ask)
  const newWriters = () => createPool('writers', { ...settings, max: WRITERS })
  let writers = newWriters()
  const locks = createPool('locks', { ...settings, max: LOCKS })
  let isClosed = false

  /**
   * Replaces all connections except those for locks. Statements in progress keep their connections,
   * which may still work.
   */
  function replaceAll(): void {
    void Promise.allSettled([writers.pool.end()])
    writers = newWriters()
    readers.replace()
  }

  const use: Connections['use'] = (work) => useOf(writers, ask, work, endsTransaction)

  return {
    async heartbeat(statement) {
      const client = await readers.beating().catch((error) => Promise.reject(storeFailure(error)))
      try {
        return await ask(client, statement, { query_timeout: HEARTBEAT_MS })
      } catch (error) {
        if (isConnectionLost(error) && !isClosed) replaceAll()
        throw storeFailure(error)
      }
    },
    read: readers.read,
    write: (statement) =>
      oncePreparedAgain(() =>
        useOf(
          writers,
          ask,
          (run) => run(statement),
          () => true,
        ),
      ),
    use,
    useForLock: (work) => useOf(locks, ask, work, endsTransaction),
    async close() {
      isClosed = true
      await Promise.all([writers.pool.end(), locks.pool.end(), readers.close()])
    },
  }
}

function endsTransaction(statement: Sql): boolean {
  return /\bcommit$/.test(textOf(statement, 'postgres'))
}
