import { DatabaseSync } from 'node:sqlite'
import type { ProtocolEntry } from '../protocol-store.ts'
import type { AnyRow } from '../sql/sql.ts'
import { isLocked } from './failure.ts'
import { toEntry } from './protocol-statements.ts'

/**
 * Opens a database and lets no other process write to it until it is closed.
 *
 * @throws if another process is writing to it for longer than some seconds.
 */
export function openLocked(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma busy_timeout = 5000; begin immediate')
    return database
  } catch (error) {
    database.close()
    if (!isLocked(error)) throw error
    throw new Error(`Another command is writing to ${path}. Try again when it has ended.`, {
      cause: error,
    })
  }
}

/** Yields every row of a table, in the order of its key. */
export function* readTable(database: DatabaseSync, table: string): Generator<AnyRow> {
  yield* database.prepare(`select * from ${table}`).iterate() as Iterable<AnyRow>
}

/** Yields the entries that have not expired at `now`, in batches of at most `lot` entries. */
export function* allEntries(
  database: DatabaseSync,
  lot: number,
  now: number,
): Generator<ProtocolEntry[]> {
  const page = database.prepare(
    'select rowid as number, * from entry where rowid > ? and expires_at > ? order by rowid limit ?',
  )
  for (let after = 0; ; ) {
    const rows = page.all(after, now, lot)
    if (rows.length === 0) return
    yield rows.map(toEntry).filter((entry) => entry !== undefined)
    after = Number(rows.at(-1)?.number)
  }
}
