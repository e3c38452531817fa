import { setTimeout as wait } from 'node:timers/promises'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

/**
 * The maximum time, in milliseconds, that a reader of the whole log waits for entries that are
 * being written. {@link LOOK_MS}: the interval at which it checks.
 */
const PATIENCE_MS = 2_000
const LOOK_MS = 10

/** The end of the audit log. */
export interface LogEnd {
  /**
   * The start time of the server, which changes with a restart. After a restart, the last entries
   * may be lost.
   */
  server: string
  /** The last assigned id. Entries with smaller ids may still be in the middle of a write. */
  last: number
  /** The id up to which no further entry can appear. */
  settled: number
}

/** Finds the id up to which the audit log is complete. */
export interface Settled {
  /** Evaluates the answer to {@link LOG_STATE}, which another statement may have read. */
  hear(answer: LogState): LogEnd
  /**
   * Waits until the entries whose ids were assigned before the call are committed, for at most
   * {@link PATIENCE_MS}.
   */
  wait(): Promise<LogEnd>
}

/**
 * The expression for the start time of the server. After a failover that lost entries, their ids
 * are assigned again. So a known end of the log is not used after a restart.
 */
export const SERVER: Sql = raw('extract(epoch from pg_postmaster_start_time())::text')

// Ids are assigned before their entries become visible. A transaction that has taken an id holds a
// lock on the table until it ends. Once all transactions that held the lock at the last assigned id
// have ended, no entry up to it can appear any more. Transactions that do not write to the log
// cause no delay.
export const LOG_STATE = sql<LogState>`select t.last_value as last, array(
    select virtualtransaction from pg_locks
    where t.last_value is not null and locktype = 'relation' and relation = 'audit'::regclass
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'RowExclusiveLock' and granted) as writers,
    (select least(max(position), t.last_value) from cursors) as known,
    ${SERVER} as server
  from audit_id_seq t`

/** The row that {@link LOG_STATE} reads. */
export interface LogState {
  last: number
  writers: string[]
  /** The position of the reader that is furthest ahead. The log is complete up to this position. */
  known: number | null
  server: string
}

/** Tracks the id up to which the audit log is complete. */
export function followSettled(connections: Connections): Settled {
  let settled = 0
  let pending: LogState | undefined
  let server = ''

  async function ask(): Promise<LogState> {
    const { rows } = await connections.read(LOG_STATE)
    return rows[0] ?? { last: 0, writers: [], known: 0, server }
  }

  function hear(now: LogState): LogEnd {
    if (now.server !== server) {
      server = now.server
      settled = 0
      pending = undefined
    }
    settled = Math.max(settled, now.known ?? 0)
    if (pending && !pending.writers.some((writer) => now.writers.includes(writer))) {
      settled = Math.max(settled, pending.last)
      pending = undefined
    }
    if (now.writers.length === 0) settled = Math.max(settled, now.last)
    else pending ??= now
    return { last: now.last, settled, server }
  }

  return {
    hear,
    async wait() {
      const { last } = hear(await ask())
      const end = performance.now() + PATIENCE_MS
      while (settled < last && performance.now() < end) {
        await wait(LOOK_MS)
        hear(await ask())
      }
      return { last, settled, server }
    },
  }
}
