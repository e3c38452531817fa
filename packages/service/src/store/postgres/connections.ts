import pg from 'pg'
import type { Sql } from '../sql/sql.ts'
import { isConnectionLost, storeFailure } from './failure.ts'
import { createPool, useOf } from './pools.ts'
import { createReaders } from './readers.ts'
import { createAsk, oncePreparedAgain, type Rows, type Run } from './statements.ts'

/** The address of a PostgreSQL, and how to use it. */
export interface PostgresOptions {
  /** Such as `postgres://latchkey:password@db.internal/latchkey`. */
  url: string
  /**
   * Prepares each statement once per connection. Set `false` behind a PgBouncer before 1.21 in
   * transaction mode. Default `true`.
   */
  preparedStatements?: boolean
}

/** Connections to one PostgreSQL. They are opened when needed, and closed when lost. */
export interface Connections {
  /** Runs a statement that only reads, on a connection shared with other reads. */
  read<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs a quick read on a separate connection, at regular times. Without an answer, the server may be gone: all
   * connections are then replaced, and reads in progress are repeated.
   */
  heartbeat<R>(statement: Sql<R>): Promise<Rows<R>>
  /** Runs one statement that may write, as a transaction of its own. */
  write<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs `work` with a connection of its own. Throws if `work` asks for a second one, because calls that hold one and
   * wait for another could block each other.
   */
  use<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Like `use`, on one of a few connections for locks only, so that `work` may use others. */
  useForLock<T>(work: (run: Run) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const WRITERS = 10
/**
 * More than the number of tasks that may hold a lock for minutes. These are erasing tenants, sealing secrets again, and
 * sealing the audit log.
 */
const LOCKS = 4

/** How long a heartbeat may take before the connections are replaced. */
const HEARTBEAT_MS = 2_500
const CONNECT_MS = 5_000
const QUERY_MS = 10_000

/** PostgreSQL's id of the type `bigint`. Our values are below 2^53, so they are read as numbers. */
const INT8 = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as never)) as never,
}

/**
 * Makes the connections, without opening one yet.
 *
 * @param limits - `queryMs`: how long a statement may take; 0 for no limit.
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

  /** Statements in progress keep their connections, which may still work. */
  function replaceAll(): void {
    void Promise.allSettled([writers.pool.end()])
    writers = newWriters()
    readers.replace()
  }

  const use: Connections['use'] = (work) => useOf(writers, ask, work)

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
    write: (statement) => oncePreparedAgain(() => use((run) => run(statement))),
    use,
    useForLock: (work) => useOf(locks, ask, work),
    async close() {
      isClosed = true
      await Promise.all([writers.pool.end(), locks.pool.end(), readers.close()])
    },
  }
}
