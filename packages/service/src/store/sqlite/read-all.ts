import { DatabaseSync } from 'node:sqlite'
import type { ProtocolEntry } from '../protocol-store.ts'
import type { AnyRow } from '../sql/sql.ts'
import { toEntry } from './protocol-statements.ts'

/**
 * Yields every row of a table, in the order of its key.
 *
 * @param from - The path of a database, or an open database, which stays open.
 */
export function* readTable(from: string | DatabaseSync, table: string): Generator<AnyRow> {
  const database = typeof from === 'string' ? new DatabaseSync(from, { readOnly: true }) : from
  try {
    yield* database.prepare(`select * from ${table}`).iterate() as Iterable<AnyRow>
  } finally {
    if (typeof from === 'string') database.close()
  }
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
