import type { AuditEntry } from '../../records.ts'
import { sql } from '../../sql/sql.ts'
import { toRow } from '../../sql/tables/audit.ts'
import type { Connections } from '../connections.ts'
import { tableOf } from './table-of.ts'

/**
 * The maximum number of entries per statement. More entries could take a slow database too long.
 */
const MOST = 500

/** Entries that one statement adds. `added` settles with the statement. */
interface Batch {
  readonly rows: ReturnType<typeof toRow>[]
  readonly added: Promise<void>
}

/**
 * Makes the function that adds entries of refused requests to the audit log. Entries that arrive
 * during a statement are collected for the next statement, because a client above its limit causes
 * many entries at a time.
 */
export function createAddRefused(connections: Connections): (entry: AuditEntry) => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  /** The batch that can still get entries, until its statement begins. */
  let open: Batch | undefined

  function begin(): Batch {
    const rows: Batch['rows'] = []
    const add = async (): Promise<void> => {
      if (open === batch) open = undefined
      const { columns, from } = tableOf('audit', rows)
      await connections.write(sql`insert into audit (${columns}) select ${columns} from ${from}`)
    }
    // If the previous batch failed, its own callers get the error.
    const batch: Batch = { rows, added: last.catch(() => {}).then(add) }
    last = batch.added
    return batch
  }

  return (entry) => {
    if (open === undefined || open.rows.length >= MOST) open = begin()
    open.rows.push(toRow(entry))
    return open.added
  }
}
