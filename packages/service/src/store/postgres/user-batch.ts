import type { NewUser } from '../ports.ts'
import { type AnyRow, join, name, names, raw, sql } from '../sql/sql.ts'
import { rowsOf } from '../sql/user-batch.ts'
import { userCounter } from '../sql/users.ts'
import type { Connections } from './connections.ts'
import { shardOf } from './counters.ts'
import { sqlState } from './failure.ts'
import { textOf, withoutTexts } from './user-texts.ts'

/** The code with which PostgreSQL refuses a reference to a row that does not exist. */
const NO_TENANT = '23503'

/** Columns of numbers; all others are text. */
const numbers = new Set([
  'disabled',
  'verified_at',
  'sessions_valid_after',
  'created_at',
  'updated_at',
  'rev',
  'at',
])

/** Rows as a table of that name, and their columns. One parameter of JSON costs less than an array for each column. */
function tableOf(table: string, rows: readonly AnyRow[]) {
  const columns = Object.keys(rows[0] ?? {})
  const typed = columns.map(
    (column) => sql`${name(column)} ${raw(numbers.has(column) ? 'bigint' : 'text')}`,
  )
  return {
    columns: names(columns),
    from: sql`json_to_recordset(${JSON.stringify(rows)}::json) as ${name(table)} (${join(typed)})`,
  }
}

/**
 * Inserts users of one tenant with all that belongs to them in one statement; answers with the ids of
 * those whose address was free.
 */
export function createInsertMany(
  connections: Connections,
): (tenantId: string, batch: readonly NewUser[]) => Promise<string[]> {
  return async (tenantId, batch) => {
    const [first] = batch
    if (!first) return []
    const rows = rowsOf(batch)
    const users = tableOf('u', rows.users.map(withoutTexts))
    const texts = tableOf('t', rows.users.map(textOf))
    const audit = tableOf('a', rows.audit)
    const parts = [
      sql`written as (insert into users (${users.columns}) select ${users.columns} from ${users.from}
        on conflict do nothing returning id)`,
      sql`searched as (insert into user_texts (${texts.columns})
        select ${texts.columns} from ${texts.from} where t.of_user in (select id from written))`,
      sql`audited as (insert into audit (${audit.columns})
        select ${audit.columns} from ${audit.from} where a.target in (select id from written))`,
      sql`counted as (update counter_shards set n = n + (select count(*) from written)
        where scope = ${userCounter(tenantId)} and shard = ${shardOf(first.user.id)})`,
    ]
    if (rows.credentials.length > 0) {
      const credentials = tableOf('c', rows.credentials)
      parts.push(sql`held as (insert into credentials (${credentials.columns})
        select ${credentials.columns} from ${credentials.from}
        where c.user_id in (select id from written))`)
    }
    try {
      const { rows: inserted } = await connections.write(
        sql<{ id: string }>`with ${join(parts)} select id from written`,
      )
      return inserted.map(({ id }) => id)
    } catch (error) {
      if (sqlState(error) === NO_TENANT) return []
      throw error
    }
  }
}
