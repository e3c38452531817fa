import type { NewUser } from '../ports.ts'
import type { Engine } from './engine.ts'
import type { TableName } from './schema.ts'
import { type AnyRow, join, name, names, raw, sql } from './sql.ts'
import { toRow as toAuditRow } from './tables/audit.ts'
import { toRow as toCredentialRow } from './tables/credentials.ts'
import { toRow as toLegacyRow } from './tables/legacy-passwords.ts'
import { toRow as toUserRow, userCounter } from './tables/users.ts'

/** The rows to insert for a batch of users, by table. */
export interface BatchRows {
  users: AnyRow[]
  credentials: AnyRow[]
  legacyPasswords: AnyRow[]
  audit: AnyRow[]
}

/** Makes the rows to insert for a batch of users. */
export function rowsOf(batch: readonly NewUser[]): BatchRows {
  return {
    users: batch.map(({ user }) => ({ ...toUserRow(user) })),
    credentials: batch.flatMap(({ credential }) =>
      credential ? [{ ...toCredentialRow(credential) }] : [],
    ),
    legacyPasswords: batch.flatMap(({ user, legacyPassword }) =>
      legacyPassword ? [{ ...toLegacyRow(user.tenantId, user.id, legacyPassword) }] : [],
    ),
    audit: batch.map(({ audit }) => ({ ...toAuditRow(audit) })),
  }
}

/** Makes {@link UserStore.insertMany} for SQLite, with one statement for each table. */
export function createInsertMany(
  engine: Engine,
): (tenantId: string, batch: readonly NewUser[]) => Promise<string[]> {
  const { writer, write, counters } = engine

  async function insert(
    table: TableName,
    rows: readonly AnyRow[],
    rest = sql``,
  ): Promise<string[]> {
    const [first] = rows
    if (!first) return []
    const columns = Object.keys(first)
    const values = join(columns.map((_, i) => sql`value ->> ${raw(String(i))}`))
    const json = JSON.stringify(rows.map((row) => Object.values(row)))
    const inserted = await writer.all(sql<{ id: string }>`
      insert into ${name(table)} (${names(columns)})
      select ${values} from json_each(${json}) where true ${rest}`)
    return inserted.map(({ id }) => id)
  }

  return (tenantId, batch) =>
    write(async () => {
      const tenant = await writer.first(
        sql`select 1 from tenants where id = ${tenantId} and deleted_at is null`,
      )
      if (!tenant) return []
      const { users, credentials, legacyPasswords, audit } = rowsOf(batch)
      const ids = new Set(await insert('users', users, sql`on conflict do nothing returning id`))
      await insert(
        'credentials',
        credentials.filter(({ user_id }) => ids.has(String(user_id))),
      )
      await insert(
        'legacy_passwords',
        legacyPasswords.filter(({ user_id }) => ids.has(String(user_id))),
      )
      await insert(
        'audit',
        audit.filter(({ target }) => ids.has(String(target))),
      )
      if (ids.size > 0) await counters.add(userCounter(tenantId), ids.size)
      return [...ids]
    })
}
