import type { NewUser } from '../ports.ts'
import type { Row } from '../sql/prepared.ts'
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
    const parameters: unknown[] = []
    const bind = (value: unknown, type: string) => `$${parameters.push(value)}::${type}`
    /** Rows as a table of that name. One parameter of JSON costs less than an array for each column. */
    const table = (name: string, rows: readonly Row[]) => {
      const columns = Object.keys(rows[0] ?? {})
      const typed = columns.map((one) => `${one} ${numbers.has(one) ? 'bigint' : 'text'}`)
      return {
        columns: columns.join(', '),
        from: `json_to_recordset(${bind(JSON.stringify(rows), 'json')}) as ${name} (${typed.join(', ')})`,
      }
    }
    const rows = rowsOf(batch)
    const users = table('u', rows.users.map(withoutTexts))
    const texts = table('t', rows.users.map(textOf))
    const audit = table('a', rows.audit)
    const parts = [
      `written as (insert into users (${users.columns}) select ${users.columns} from ${users.from}
        on conflict do nothing returning id)`,
      `searched as (insert into user_texts (${texts.columns})
        select ${texts.columns} from ${texts.from} where t.of_user in (select id from written))`,
      `audited as (insert into audit (${audit.columns})
        select ${audit.columns} from ${audit.from} where a.target in (select id from written))`,
      `counted as (update counter_shards set n = n + (select count(*) from written)
        where scope = ${bind(userCounter(tenantId), 'text')}
          and shard = ${bind(shardOf(first.user.id), 'bigint')})`,
    ]
    if (rows.credentials.length > 0) {
      const credentials = table('c', rows.credentials)
      parts.push(`held as (insert into credentials (${credentials.columns})
        select ${credentials.columns} from ${credentials.from} where c.user_id in (select id from written))`)
    }
    const sql = `with ${parts.join(', ')} select id from written`
    try {
      const inserted: { id: string }[] = (await connections.write({ sql, parameters })).rows
      return inserted.map(({ id }) => id)
    } catch (error) {
      if (sqlState(error) === NO_TENANT) return []
      throw error
    }
  }
}
