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
import { connectRedis, type RedisConnection } from '../store/redis/connect.ts'
import { hasState, removeState } from '../store/redis/log-memory.ts'
import { createRedisProtocolStore } from '../store/redis/protocol-store.ts'
import type { TableName } from '../store/sql/schema.ts'
import { type AnyRow, script } from '../store/sql/sql.ts'
import { openDatabase } from '../store/sqlite/database.ts'
import { markMoved } from '../store/sqlite/moved-folder.ts'
import { takeOwnership } from '../store/sqlite/owner-lock.ts'
import { openProtocolDatabase } from '../store/sqlite/protocol-schema.ts'
import { allEntries, openLocked, readTable } from '../store/sqlite/read-all.ts'

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

/** The source of a move (`data`), and its target. `signal` stops the move. */
export interface MoveOptions {
  data: string
  database: DatabaseOptions
  redis: string
  signal?: AbortSignal | undefined
}

/**
 * Copies a data folder to PostgreSQL and Redis, with the same ids and rows, and with valid sessions
 * and tokens. The folder is marked as moved, and can no longer be served. While it is copied,
 * commands cannot write to it.
 *
 * @throws if the folder is being served, the database already has tenants, or Redis already has
 *   entries. Then nothing is moved. The copy of a move that fails later is removed, because another
 *   move would bring back sessions that end in the folder until then. Another error, with the
 *   remedy, if everything was moved and only the mark is missing.
 */
export async function moveFolder(options: MoveOptions): Promise<MoveReport> {
  const { data, database, redis, signal } = options
  if (!existsSync(join(data, 'data.db'))) throw new Error(`There is no data in ${data}.`)
  const lock = takeOwnership(data)
  // Opening the database migrates an old folder, so that its columns match those of PostgreSQL.
  await (await openDatabase(data)).close()
  const state = openProtocolDatabase(join(data, 'protocol.db'))
  const connections = createConnections(database, { queryMs: 0 })
  const queues = createPostgresQueues(connections)
  const protocol = createRedisProtocolStore({ url: redis, clock: systemClock, queues })
  const client = connectRedis(redis)
  try {
    await migratePostgres(database)
    const tables = openLocked(join(data, 'data.db'))
    try {
      const report = await connections.use((run) =>
        copyAll(run, { tables, state, protocol, client, signal }),
      )
      mark(data, report)
      return report
    } finally {
      tables.close()
    }
  } finally {
    await protocol.close()
    await client.quit().catch(() => client.disconnect())
    await connections.close()
    state.close()
    lock.release()
  }
}

/** The databases of a folder, and the connections to the target. */
interface CopyParts {
  tables: DatabaseSync
  state: DatabaseSync
  protocol: ProtocolStore
  client: RedisConnection
  signal: AbortSignal | undefined
}

/** Copies everything in one transaction. If that fails, removes the copy from Redis. */
async function copyAll(run: Run, parts: CopyParts): Promise<MoveReport> {
  const { tables, state, protocol, client, signal } = parts
  const say = (text: string) => run(script(text))
  await say('begin; select n from revision for update')
  let isEmpty = false
  try {
    await refuseUsed(run, client)
    isEmpty = true
    const rows = await copyTables(run, tables, state, signal)
    const entries = await copyEntries(state, protocol, signal)
    await say('commit')
    return { rows, entries }
  } catch (error) {
    await say('rollback').catch(() => {})
    if (isEmpty) {
      // Ends after the commands that it has sent, so that none of them writes later.
      await protocol.close()
      await removeCopy(client, error)
    }
    throw error
  }
}

/** Marks the folder as moved. The target is complete, so a failure must not look like one of it. */
function mark(data: string, report: MoveReport): void {
  try {
    markMoved(data, report)
  } catch (cause) {
    throw new Error(
      `Everything was moved, but the folder could not be marked as moved: ${sentence(cause)} ` +
        `Create the file ${join(data, 'moved.json')}, so that nothing writes to the folder, and use --database.`,
      { cause },
    )
  }
}

async function refuseUsed(run: Run, client: RedisConnection): Promise<void> {
  if ((await countRows(run, 'tenants')) > 0) {
    throw new Error('The database holds tenants already. Give one that is empty.')
  }
  if (await hasState(client)) {
    throw new Error(
      'Redis holds sessions already, of another service or of a move that was broken off. ' +
        `Give one that is empty. ${HOW_TO_EMPTY}`,
    )
  }
}

const HOW_TO_EMPTY =
  'If nothing else uses this one, empty it with "redis-cli flushdb", on a Cluster at each master.'

/** Removes the entries of a failed move from Redis, which had none before the move. */
async function removeCopy(client: RedisConnection, cause: unknown): Promise<void> {
  try {
    await removeState(client)
  } catch (error) {
    throw new Error(
      `${sentence(cause)} Copied sessions may have stayed in Redis: ${sentence(error)} ${HOW_TO_EMPTY}`,
      { cause },
    )
  }
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.endsWith('.') ? text : `${text}.`
}

async function copyTables(
  run: Run,
  tables: DatabaseSync,
  state: DatabaseSync,
  signal: AbortSignal | undefined,
): Promise<Record<string, number>> {
  const report: Record<string, number> = {}
  await run(script('delete from cursors; delete from audit_log'))
  const rowsOf = (table: string) => readTable(tables, table)
  for (const table of TABLES) {
    signal?.throwIfAborted()
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

async function copyEntries(
  state: DatabaseSync,
  protocol: ProtocolStore,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0
  for (const entries of allEntries(state, ENTRIES_AT_ONCE, systemClock.now() * 1000)) {
    signal?.throwIfAborted()
    // All writes have ended before a failed move removes its copy.
    const written = await Promise.allSettled(entries.map(protocol.put))
    for (const one of written) if (one.status === 'rejected') throw one.reason
    count += entries.length
  }
  signal?.throwIfAborted()
  return count
}
