import type { AuditEntry } from '../records.ts'
import { toRow } from '../sql/audit.ts'
import { sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import { tableOf } from './table-of.ts'

/**
 * Adds refused requests to the audit log. Those that arrive while others are being added go into one statement, as a client at
 * its limit causes many at a time.
 */
export function createAddRefused(connections: Connections): (entry: AuditEntry) => Promise<void> {
  let before: Promise<void> = Promise.resolve()
  let next: { rows: ReturnType<typeof toRow>[]; added: Promise<void> } | undefined

  function begin(): NonNullable<typeof next> {
    const rows: ReturnType<typeof toRow>[] = []
    const added = before
      .catch(() => {})
      .then(async () => {
        next = undefined
        const { columns, from } = tableOf('audit', rows)
        await connections.write(sql`insert into audit (${columns}) select ${columns} from ${from}`)
      })
    before = added
    return { rows, added }
  }

  return (entry) => {
    next ??= begin()
    next.rows.push(toRow(entry))
    return next.added
  }
}
