import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { observe, secondsSince } from '../../telemetry/metrics.ts'
import { statementName } from '../../telemetry/statement-name.ts'
import { inClientSpan, isTraced } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'
import { type Sql, textOf } from '../sql/sql.ts'
import { isConnectionLost, isStalePlan, storeFailure } from './failure.ts'

/** A query of `pg`, whose types lack the time limit of a single query. */
type QueryConfig = pg.QueryConfig & { query_timeout?: number }

/** Where a PostgreSQL is, and how it is spoken to. */
export interface PostgresOptions {
  /** Such as `postgres://latchkey:password@db.internal/latchkey`. */
  url: string
  /**
   * Prepares each statement once per connection. Set `false` behind a PgBouncer before 1.21 in
   * transaction mode. Default `true`.
   */
  preparedStatements?: boolean
}

/** The answer to a statement. */
export interface Rows<R = unknown> {
  rows: R[]
  rowCount: number | null
}

/** Connections to one PostgreSQL, opened when they are needed and thrown away when they are lost. */
export interface Connections {
  /** Runs a statement that changes nothing, on a connection that reads share. */
  read<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs a quick read on a connection of its own, regularly. Without an answer, all connections are replaced, as the
   * server may have vanished, and reads in progress are asked once more.
   */
  heartbeat<R>(statement: Sql<R>): Promise<Rows<R>>
  /** Runs one statement that may write, as a transaction of its own. */
  write<R>(statement: Sql<R>): Promise<Rows<R>>
  /**
   * Runs `work` with a connection of its own. It throws when `work` asks for another one: calls that each
   * hold a connection and wait for a second would stop one another.
   */
  use<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Like `use`, on one of a few connections for locks only, so that `work` may use others. */
  useForLock<T>(work: (run: Run) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Runs a statement on one connection. */
export type Run = <R>(statement: Sql<R>) => Promise<Rows<R>>

/** Reads are pipelined: a few connections serve any number of requests at a time. */
const READERS = 4
const WRITERS = 10
/** More than the tasks that hold a lock for minutes, of which there are two. */
const LOCKS = 4

/** The time without an answer to a heartbeat after which connections are given up. */
const HEARTBEAT_MS = 2_500
const CONNECT_MS = 5_000
const QUERY_MS = 10_000

/** PostgreSQL's number of the type `bigint`; every one of ours is below 2^53. */
const INT8 = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as never)) as never,
}

/**
 * Makes the connections; none is opened yet.
 *
 * @param limits - `queryMs`: how long a statement may take; 0 for as long as it needs.
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
  const newWriters = () => createPool('writers', { ...settings, max: WRITERS })
  let writers = newWriters()
  const locks = createPool('locks', { ...settings, max: LOCKS })
  let readers: (Reader | undefined)[] = []
  /** The connection of the heartbeat, apart from the others: behind a slow read it would seem silent. */
  let beating: (Reader | undefined)[] = []
  /** The reads in progress, each as a function that asks it once more. */
  const waiting = new Set<() => void>()
  const names = new Map<string, string>()
  /** Counts how often all statements were prepared again. */
  let generation = 0
  let turn = 0
  let isClosed = false

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

  /** Runs a query; after one whose plan is stale, every statement is prepared again at its next use. */
  async function ask<R>(
    client: pg.ClientBase,
    statement: Sql<R>,
    limit: Pick<QueryConfig, 'query_timeout'> = {},
  ): Promise<Rows<R>> {
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

  function reader(): Reader {
    turn = (turn + 1) % READERS
    const kept = readers[turn] ?? openReader(readers, turn)
    readers[turn] = kept
    return kept
  }

  async function openReader(of: (Reader | undefined)[], slot: number): Reader {
    const client = new pg.Client({ ...settings, pipeline: true })
    const forget = () => {
      of[slot] = undefined
    }
    client.on('error', forget).on('end', forget)
    try {
      await client.connect()
      return client
    } catch (error) {
      forget()
      throw error
    }
  }

  /** Statements in progress keep their connections; they may well be all right. */
  function replaceAll(): void {
    const before = [writers.pool.end(), endAll(readers), endAll(beating)]
    readers = []
    beating = []
    writers = newWriters()
    void Promise.allSettled(before)
    for (const askAgain of waiting) askAgain()
  }

  /** Answers as the first of two reads does. The second one begins when connections are replaced. */
  function eitherOf<R>(read: () => Promise<Rows<R>>): Promise<Rows<R>> {
    return new Promise((resolve, reject) => {
      const askAgain = () => {
        waiting.delete(askAgain)
        // If it fails, the first one still answers or ends at its own limit.
        read().then(resolve, () => {})
      }
      waiting.add(askAgain)
      read()
        .then(resolve, reject)
        .finally(() => waiting.delete(askAgain))
    })
  }

  async function readOnce<R>(statement: Sql<R>): Promise<Rows<R>> {
    if (isClosed) throw new StoreError('The store is closed.')
    const from = readers
    try {
      return await eitherOf(async () => ask(await reader(), statement))
    } catch (error) {
      // The failure that ended one has ended the others, too, though it may not be known yet.
      if (isConnectionLost(error) && readers === from) {
        readers = []
        void endAll(from)
      }
      throw error
    }
  }

  async function useOf<T>(
    { name, pool, holder }: Pool,
    work: (run: Run) => Promise<T>,
  ): Promise<T> {
    if (holder.getStore())
      throw new Error('A connection of this pool is held already: use its run().')
    let client: pg.PoolClient
    const askedAt = performance.now()
    try {
      client = await pool.connect()
      observe('poolWaits', { pool: name }, secondsSince(askedAt))
    } catch (error) {
      throw storeFailure(error)
    }
    let isLost = false
    // The error of a connection that is lost between two statements. Without a listener it would
    // end the process.
    const lose = () => {
      isLost = true
    }
    client.on('error', lose)
    const run: Run = async (statement) => {
      try {
        return await ask(client, statement)
      } catch (error) {
        isLost ||= isConnectionLost(error)
        throw storeFailure(error)
      }
    }
    try {
      return await holder.run(true, () => work(run))
    } finally {
      client.off('error', lose)
      client.release(isLost)
    }
  }
  const use: Connections['use'] = (work) => useOf(writers, work)

  return {
    async heartbeat(statement) {
      beating[0] ??= openReader(beating, 0)
      const client = await beating[0].catch((error) => Promise.reject(storeFailure(error)))
      try {
        return await ask(client, statement, { query_timeout: HEARTBEAT_MS })
      } catch (error) {
        if (isConnectionLost(error) && !isClosed) replaceAll()
        throw storeFailure(error)
      }
    },
    async read(statement) {
      try {
        try {
          return await readOnce(statement)
        } catch (error) {
          if (isClosed || !(isConnectionLost(error) || isStalePlan(error))) throw error
          // The connection may have been lost long ago; a read can be made twice.
          return await readOnce(statement)
        }
      } catch (error) {
        throw storeFailure(error)
      }
    },
    write: (statement) => oncePreparedAgain(() => use((run) => run(statement))),
    use,
    useForLock: (work) => useOf(locks, work),
    async close() {
      isClosed = true
      await Promise.all([writers.pool.end(), locks.pool.end(), endAll(readers), endAll(beating)])
    },
  }
}

interface Pool {
  /** The name in metrics. */
  readonly name: string
  readonly pool: pg.Pool
  /** Set for the work that holds a connection of this pool. */
  readonly holder: AsyncLocalStorage<true>
}

function createPool(name: string, settings: pg.PoolConfig): Pool {
  const pool = new pg.Pool(settings)
  // The pool has thrown the connection away by then.
  pool.on('error', () => {})
  // From the first moment on: one that ends between its making and its first use would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { name, pool, holder: new AsyncLocalStorage() }
}

/** Repeats a transaction that was undone because the plan of a statement was stale. */
export async function oncePreparedAgain<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!isStalePlan(error)) throw error
    return transaction()
  }
}

/**
 * PostgreSQL refuses U+0000 in text. Nothing that is stored has it, so that a look-up with it has to find
 * nothing: U+0001 is in no id and no address either.
 */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\u0001')
    : value
}

type Reader = Promise<pg.Client>

/** Ends connections, each after what it is asked already. */
async function endAll(readers: readonly (Reader | undefined)[]): Promise<void> {
  const end = async (reader: Reader | undefined) => (await reader)?.end()
  await Promise.allSettled(readers.map(end))
}
