import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../clock.ts'
import type { DatabaseOptions } from '../service-options.ts'
import { createConnections } from '../store/postgres/connections.ts'
import { copyRows, countRows, finishCopy } from '../store/postgres/copy.ts'
import { migratePostgres } from '../store/postgres/migrate.ts'
import { createPostgresQueues } from '../store/postgres/queue.ts'
import type { Run } from '../store/postgres/statements.ts'
import { textOf, withoutTexts } from '../store/postgres/tables/user-texts.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import { createRedisProtocolStore } from '../store/redis/protocol-store.ts'
import type { TableName } from '../store/sql/schema.ts'
import { type AnyRow, script } from '../store/sql/sql.ts'
import { openDatabase } from '../store/sqlite/database.ts'
import { markMoved } from '../store/sqlite/moved-folder.ts'
import { takeOwnership } from '../store/sqlite/owner-lock.ts'
import { openProtocolDatabase } from '../store/sqlite/protocol-schema.ts'
import { allEntries, readTable } from '../store/sqlite/read-all.ts'

/** The tables of `data.db`. Each table comes after the tables that it refers to. */
const TABLES = [
  'tenants',
  'tenant_logos',
  'applications',
  'users',
  'last_logins',
  'never_logged_in',
  'standings',
  'credentials',
  'legacy_passwords',
  'api_keys',
  'api_key_tenants',
  'signing_keys',
  'connections',
  'operators',
  'webhooks',
  'deliveries',
  'held_domains',
  'jobs',
  'job_parts',
  'mail_days',
  'audit',
  'audit_details',
  'cursors',
  'audit_log',
  'restores',
  'unconfirmed',
] as const satisfies readonly TableName[]

/**
 * The tables that triggers fill while others are copied. Their rows are then replaced by those of
 * the folder, because the triggers store the present names with old entries.
 */
const BY_TRIGGERS: ReadonlySet<string> = new Set(['audit_details', 'never_logged_in'])

/** The number of objects moved: rows by table, and entries with a time to live. */
export interface MoveReport {
  rows: Record<string, number>
  entries: number
}

/** The source of a move (`data`), and its target. */
export interface MoveOptions {
  data: string
  database: DatabaseOptions
  redis: string
}

/**
 * Copies a data folder to PostgreSQL and Redis, with the same ids and rows, and with valid sessions
 * and tokens. The folder is marked as moved, and can no longer be served.
 *
 * @throws if the folder is being served, or the database already has tenants. Then nothing is
 *   moved.
 */
export async function moveFolder({ data, database, redis }: MoveOptions): Promise<MoveReport> {
  if (!existsSync(join(data, 'data.db'))) throw new Error(`There is no data in ${data}.`)
  const lock = takeOwnership(data)
  // Opening the database migrates an old folder, so that its columns match those of PostgreSQL.
  await (await openDatabase(data)).close()
  const state = openProtocolDatabase(join(data, 'protocol.db'))
  const connections = createConnections(database, { queryMs: 0 })
  const queues = createPostgresQueues(connections)
  const protocol = createRedisProtocolStore({ url: redis, clock: systemClock, queues })
  try {
    await migratePostgres(database)
    const report = await connections.use(async (run) => {
      const say = (text: string) => run(script(text))
      await say('begin; select n from revision for update')
      try {
        const rows = await copyTables(run, data, state)
        const entries = await copyEntries(state, protocol)
        await say('commit')
        return { rows, entries }
      } catch (error) {
        await say('rollback').catch(() => {})
        throw error
      }
    })
    markMoved(data, report)
    return report
  } finally {
    await protocol.close()
    await connections.close()
    state.close()
    lock.release()
  }
}

async function copyTables(
  run: Run,
  data: string,
  state: DatabaseSync,
): Promise<Record<string, number>> {
  if ((await countRows(run, 'tenants')) > 0) {
    throw new Error('The database holds tenants already. Give one that is empty.')
  }
  const report: Record<string, number> = {}
  await run(script('delete from cursors; delete from audit_log'))
  const rowsOf = (table: string) => readTable(join(data, 'data.db'), table)
  for (const table of TABLES) {
    if (BY_TRIGGERS.has(table)) await run(script(`delete from ${table}`))
    const isUsers = table === 'users'
    report[table] = await copyRows(
      run,
      table,
      isUsers ? each(rowsOf(table), withoutTexts) : rowsOf(table),
    )
    if (isUsers) await copyRows(run, 'user_texts', each(rowsOf(table), textOf))
  }
  report.mail = await copyRows(run, 'mail', readTable(state, 'mail'))
  report.notices = await copyRows(run, 'notices', readTable(state, 'notice'))
  await finishCopy(run)
  for (const [table, count] of Object.entries(report)) {
    const found = await countRows(run, table)
    if (found !== count) throw new Error(`${count} rows of ${table} became ${found}.`)
  }
  return report
}

function* each(rows: Iterable<AnyRow>, change: (row: AnyRow) => AnyRow): Generator<AnyRow> {
  for (const row of rows) yield change(row)
}

/** The number of entries to write to Redis at a time. */
const ENTRIES_AT_ONCE = 100

async function copyEntries(state: DatabaseSync, protocol: ProtocolStore): Promise<number> {
  let count = 0
  for (const entries of allEntries(state, ENTRIES_AT_ONCE, systemClock.now() * 1000)) {
    await Promise.all(entries.map(protocol.put))
    count += entries.length
  }
  return count
}
