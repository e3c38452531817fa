import { setTimeout as wait } from 'node:timers/promises'
import type { Connections } from './connections.ts'

/** How long a reader of the whole log waits for entries that are being written, and how often it looks. */
const PATIENCE_MS = 2_000
const LOOK_MS = 10

/** The end of the audit log. */
export interface LogEnd {
  /** The last id that was given out. Entries with smaller ids may still be being written. */
  last: number
  /** No entry up to this id can appear any more. */
  settled: number
}

/** Tells up to which id the audit log is complete. */
export interface Settled {
  /** Takes in the answer to {@link LOOK}, which a statement may have among its own. */
  hear(answer: Look): LogEnd
  /** Waits a moment for entries that are being written; answers up to which id the log is complete. */
  wait(): Promise<number>
}

// Ids are given out before their entries become visible. A transaction that has one holds a lock on the table
// until it ends, so that once those who held one after the last id was given out are gone, so are all entries
// that could appear before it. Transactions that do not write the log hold nothing back.
export const LOOK = `select t.last_value as last, array(
    select virtualtransaction from pg_locks
    where t.last_value is not null and locktype = 'relation' and relation = 'audit'::regclass
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'RowExclusiveLock' and granted) as writers,
    (select least(max(position), t.last_value) from cursors) as known
  from audit_id_seq t`

/** The answer to {@link LOOK}. */
export interface Look {
  last: number
  writers: string[]
  /** Some reader stands there, so that the log was complete up to it. */
  known: number | null
}

/** Follows the end of the audit log. */
export function followSettled(connections: Connections): Settled {
  let settled = 0
  let pending: Look | undefined

  async function ask(): Promise<Look> {
    const rows: Look[] = (await connections.read({ sql: LOOK, parameters: [] }, true)).rows
    return rows[0] ?? { last: 0, writers: [], known: 0 }
  }

  function hear(now: Look): LogEnd {
    settled = Math.max(settled, now.known ?? 0)
    if (pending && !pending.writers.some((writer) => now.writers.includes(writer))) {
      settled = Math.max(settled, pending.last)
      pending = undefined
    }
    if (now.writers.length === 0) settled = Math.max(settled, now.last)
    else pending ??= now
    return { last: now.last, settled }
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
      return settled
    },
  }
}
