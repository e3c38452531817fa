import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isSqliteError } from './failure.ts'

/**
 * The changes of one kind that a backup does not contain. `what`: the kind. `ids`: at most
 * {@link MAX_NAMED} ids of changed objects.
 */
export type Unknown = { what: string; count: number; ids: string[] }

/** The maximum number of ids that are listed for a kind of change. */
export const MAX_NAMED = 20

const sameUser = 'later.tenant_id = earlier.tenant_id and later.id = earlier.id'

/**
 * The `from` clauses that find changes after the backup, by the kind of change. `earlier` is a row
 * of the backup and `later` the same row in the folder. For added users, it is the reverse. Each
 * table has the name of its database: SQLite looks for others in the backup when the folder has none.
 */
const CHANGES: { readonly [what: string]: string } = {
  'API keys revoked since': `from backup.api_keys as earlier left join main.api_keys as later on later.id = earlier.id
    where earlier.revoked_at is null and (later.id is null or later.revoked_at is not null)`,
  'operators removed since': `from backup.operators as earlier left join main.operators as later on later.id = earlier.id
    where later.id is null`,
  'users deleted since': `from backup.users as earlier left join main.users as later on ${sameUser}
    where later.id is null`,
  'users disabled since': `from backup.users as earlier join main.users as later on ${sameUser}
    where earlier.disabled = 0 and later.disabled = 1`,
  'users logged out everywhere since': `from backup.users as earlier join main.users as later on ${sameUser}
    where later.sessions_valid_after > earlier.sessions_valid_after`,
  'users added since': `from main.users as earlier left join backup.users as later on ${sameUser}
    where later.id is null`,
  'endpoints deleted or switched off since': `from backup.webhooks as earlier
    left join main.webhooks as later on later.id = earlier.id
    where earlier.disabled is null and (later.id is null or later.disabled is not null)`,
}

/** The changes that a backup does not contain, or the reason why they are not known. */
export type Comparison = { unknown: Unknown[] } | { notCompared: string }

/**
 * Compares a backup with the data folder that the backup will replace. Data that is gone or damaged
 * is the usual reason for a restore, so it is a result.
 *
 * @param file - The path of the backup's database.
 * @throws if there is no such folder.
 */
export function compareWith(folder: string, file: string): Comparison {
  if (!existsSync(folder)) throw new Error(`There is no data in ${folder}: it does not exist.`)
  const replaced = join(folder, 'data.db')
  if (!existsSync(replaced)) return { notCompared: 'it has no data.db' }
  try {
    return { unknown: changesIn(replaced, file) }
  } catch (error) {
    if (isSqliteError(error)) return { notCompared: `data.db: ${error.message}` }
    throw error
  }
}

function changesIn(replaced: string, file: string): Unknown[] {
  const database = new DatabaseSync(replaced)
  try {
    database.exec('pragma busy_timeout = 5000')
    database.prepare('attach ? as backup').run(file)
    return Object.entries(CHANGES).map(([what, from]) => {
      const count = Number(database.prepare(`select count(*) as n ${from}`).get()?.n)
      const rows = database.prepare(`select earlier.id ${from} order by 1 limit ${MAX_NAMED}`).all()
      return { what, count, ids: rows.map(({ id }) => String(id)) }
    })
  } finally {
    database.close()
  }
}
