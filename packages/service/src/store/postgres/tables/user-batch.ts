import type { NewUser } from '../../ports.ts'
import { join, sql } from '../../sql/sql.ts'
import { userCounter } from '../../sql/tables/users.ts'
import { rowsOf } from '../../sql/user-batch.ts'
import type { Connections } from '../connections.ts'
import { sqlState } from '../failure.ts'
import { shardOf } from './counters.ts'
import { tableOf } from './table-of.ts'
import { textOf, withoutTexts } from './user-texts.ts'

/** PostgreSQL's error code for a reference to a row that does not exist. */
const NO_TENANT = '23503'

/**
 * Makes {@link UserStore.insertMany} for PostgreSQL. One statement inserts the users with
 * everything that belongs to them.
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
    if (rows.legacyPasswords.length > 0) {
      const legacy = tableOf('l', rows.legacyPasswords)
      parts.push(sql`kept as (insert into legacy_passwords (${legacy.columns})
        select ${legacy.columns} from ${legacy.from}
        where l.user_id in (select id from written))`)
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
