import type { AuditEntry } from '../../records.ts'
import { sql } from '../../sql/sql.ts'
import { toRow } from '../../sql/tables/audit.ts'
import type { Connections } from '../connections.ts'
import { tableOf } from './table-of.ts'

/** The most entries that one statement adds, so that a slow database gets none that it cannot finish in time. */
const MOST = 500

/** Entries that are added by one statement. */
interface Batch {
  readonly rows: ReturnType<typeof toRow>[]
  readonly added: Promise<void>
}

/**
 * Adds refused requests to the audit log. Entries that arrive while others are being added go into the next statement
 * together, as a client at its limit causes many at a time.
 */
export function createAddRefused(connections: Connections): (entry: AuditEntry) => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  /** The batch that still takes entries. */
  let open: Batch | undefined

  function begin(): Batch {
    const rows: Batch['rows'] = []
    const add = async (): Promise<void> => {
      if (open === batch) open = undefined
      const { columns, from } = tableOf('audit', rows)
      await connections.write(sql`insert into audit (${columns}) select ${columns} from ${from}`)
    }
    // The entries of a batch that failed are reported to their own callers.
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
