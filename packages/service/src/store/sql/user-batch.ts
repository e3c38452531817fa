import { sql } from 'kysely'
import type { NewUser } from '../ports.ts'
import { toRow as toAuditRow } from './audit.ts'
import { toRow as toCredentialRow } from './credentials.ts'
import type { Engine } from './engine.ts'
import type { Row } from './prepared.ts'
import { toRow as toUserRow, userCounter } from './users.ts'

/** The rows of users that are inserted together. */
export interface BatchRows {
  users: Row[]
  credentials: Row[]
  audit: Row[]
}

/** The rows of a batch, in the order of the tables. */
export function rowsOf(batch: readonly NewUser[]): BatchRows {
  return {
    users: batch.map(({ user }) => ({ ...toUserRow(user) })),
    credentials: batch.flatMap(({ credential }) =>
      credential ? [{ ...toCredentialRow(credential) }] : [],
    ),
    audit: batch.map(({ audit }) => ({ ...toAuditRow(audit) })),
  }
}

/**
 * Inserts users of one tenant in one statement a table; answers with the ids of those whose address
 * was free.
 */
export function createInsertMany(
  engine: Engine,
): (tenantId: string, batch: readonly NewUser[]) => Promise<string[]> {
  const { writer, write, counters } = engine

  /** Inserts rows that come as one JSON text. */
  async function insert(table: string, rows: readonly Row[], rest = ''): Promise<{ id: string }[]> {
    const [first] = rows
    if (!first) return []
    const columns = Object.keys(first)
    const values = columns.map((_, i) => `value ->> ${i}`).join(', ')
    const { rows: inserted } = await writer.run<{ id: string }>({
      sql: `insert into ${table} (${columns.join(', ')})
        select ${values} from json_each(?) where true ${rest}`,
      parameters: [JSON.stringify(rows.map((row) => Object.values(row)))],
    })
    return inserted
  }

  return (tenantId, batch) =>
    write(async () => {
      const tenant = await sql`select 1 from tenants
        where id = ${tenantId} and deleted_at is null`.execute(writer)
      if (tenant.rows.length === 0) return []
      const rows = rowsOf(batch)
      const inserted = await insert('users', rows.users, 'on conflict do nothing returning id')
      const ids = new Set(inserted.map(({ id }) => id))
      await insert(
        'credentials',
        rows.credentials.filter(({ user_id }) => ids.has(String(user_id))),
      )
      await insert(
        'audit',
        rows.audit.filter(({ target }) => ids.has(String(target))),
      )
      if (ids.size > 0) await counters.add(userCounter(tenantId), ids.size)
      return [...ids]
    })
}
