import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { observe, secondsSince } from '../../telemetry/metrics.ts'
import type { Sql } from '../sql/sql.ts'
import { isConnectionLost, storeFailure } from './failure.ts'
import type { Ask, Run } from './statements.ts'

/** A pool of connections, each of which has one holder at a time. */
export interface Pool {
  /** The name of the pool in metrics. */
  readonly name: string
  readonly pool: pg.Pool
  /** Set inside code that holds a connection of this pool. */
  readonly holder: AsyncLocalStorage<true>
}

/** Makes a pool, without opening a connection yet. */
export function createPool(name: string, settings: pg.PoolConfig): Pool {
  const pool = new pg.Pool(settings)
  // The pool has already removed the connection with this error.
  pool.on('error', () => {})
  // The listener is added at once. Without it, a connection that is lost before its first use would
  // end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return { name, pool, holder: new AsyncLocalStorage() }
}

/**
 * Runs `work` with a connection of a pool. Throws if `work` asks the same pool for another
 * connection.
 *
 * @param isCommit - Whether a statement commits what it or its transaction writes. Otherwise,
 *   PostgreSQL rolls it back when the connection is lost.
 */
export async function useOf<T>(
  { name, pool, holder }: Pool,
  ask: Ask,
  work: (run: Run) => Promise<T>,
  isCommit: (statement: Sql) => boolean,
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
  // A connection that is lost between two statements emits an error. Without a listener, the error
  // would end the process.
  const lose = () => {
    isLost = true
  }
  client.on('error', lose)
  const run: Run = async (statement) => {
    // On a connection that is lost already, nothing is sent.
    const isSent = !isLost
    try {
      return await ask(client, statement)
    } catch (error) {
      isLost ||= isConnectionLost(error)
      throw storeFailure(error, isSent && isCommit(statement))
    }
  }
  try {
    return await holder.run(true, () => work(run))
  } finally {
    client.off('error', lose)
    client.release(isLost)
  }
}
