import { type AuditStore, TRIM_BATCH } from '../../ports.ts'
import type { StoredAuditEntry } from '../../records.ts'
import { storeChanges } from '../../sql/audit-details.ts'
import type { Engine } from '../../sql/engine.ts'
import type { Row } from '../../sql/schema.ts'
import { insertInto, type Sql, sql } from '../../sql/sql.ts'
import type { AddEntry } from '../../sql/table.ts'
import {
  createAudit,
  entries,
  entriesAfter,
  isLogin,
  latestWay,
  notePruned,
  toEntry,
  toRow,
} from '../../sql/tables/audit.ts'
import type { Connections } from '../connections.ts'
import { type LogEnd, SERVER, type Settled } from '../settled.ts'
import { createAddRefused } from './add-refused.ts'

/** The maximum number of entries that one statement deletes. */
const PRUNE_BATCH = 1_000

// `'refused'` is written as text, because with a parameter the index of refused entries would not
// be used.
const isRefused = sql`outcome = 'refused'`

/** Makes the audit log in PostgreSQL. */
export function createPostgresAudit(
  engine: Engine,
  addEntry: AddEntry,
  connections: Connections,
  settled: Settled,
  lastEntry: () => number | undefined,
): AuditStore {
  const { reader } = engine
  const addRefused = createAddRefused(connections)
  /** The end of the complete log, as last read. */
  let end: Omit<LogEnd, 'last'> = { settled: 0, server: '' }

  /**
   * Reads at most `limit` entries with ids above `id`, up to a known end of the log. Resolves to
   * nothing if the server has restarted since that end was read.
   */
  async function entriesUpTo(
    id: number,
    { settled: last, server }: typeof end,
    limit: number,
  ): Promise<StoredAuditEntry[]> {
    const rows = await reader.all(sql<Row<'audit'>>`${entries}
      where id > ${id} and id <= ${last} and ${SERVER} = ${server} order by id limit ${limit}`)
    return rows.map(toEntry)
  }

  return {
    ...createAudit(engine, addEntry),

    async append(entry) {
      if (entry.outcome === 'refused') return addRefused(entry)
      const row = toRow(entry)
      const added = insertInto('audit', Object.keys(row), Object.values(row))
      if (entry.changes?.length) {
        const audited = sql`with audited as (${added} returning id)`
        const stored = storeChanges(entry.changes, sql`select id from audited`)
        return void (await connections.write(sql`${audited} ${stored}`))
      }
      if (!isLogin(entry)) return void (await connections.write(added))
      const { at, tenantId = '', target, loginWay: way } = entry
      await connections.write(sql`with added as (${added})
        insert into last_logins (tenant_id, user_id, at, way)
        select tenant_id, id, ${at}::bigint, ${way ?? null}::text from users where tenant_id = ${tenantId} and id = ${target}
        on conflict (tenant_id, user_id) do update
          set at = greatest(last_logins.at, excluded.at), way = ${latestWay}`)
    },

    // `skip locked` skips entries that another process is deleting, to avoid deadlocks.
    async trimRefused(actor, keep) {
      const isTheirs = sql`actor = ${actor} and ${isRefused}`
      const { rowCount } = await connections.write(sql`delete from audit where ctid in (
        select ctid from audit where ${isTheirs} and id <= (
          select id from audit where ${isTheirs} order by id desc offset ${keep} limit 1
        ) order by id limit ${TRIM_BATCH} for update skip locked)`)
      return rowCount ?? 0
    },

    async after(id, limit) {
      // An export asks for the end of the log only when it reaches the last known end, not for each
      // page.
      const known = id < end.settled ? await entriesUpTo(id, end, limit) : []
      if (known.length > 0) return known
      // Without the wait, an entry whose transaction commits late would be skipped for ever.
      end = await settled.wait()
      return entriesUpTo(id, end, limit)
    },

    async afterOf(tenantId, id, limit) {
      return entriesAfter(reader, { tenantId, id, limit, end: (await settled.wait()).settled })
    },

    mayFollow(id) {
      const last = lastEntry()
      return last === undefined || last > id
    },

    // Two statements prune entries, because each has an index. One statement with both conditions
    // would read the whole log.
    async prune(before, refusedBefore, isClosed = () => false) {
      await connections.write(notePruned(sql`at < ${before}`))
      const pruned = await pruneWhere(connections, sql`true`, before, isClosed)
      return pruned + (await pruneWhere(connections, isRefused, refusedBefore, isClosed))
    },
  }
}

/**
 * Deletes entries from before a time that fulfill a condition. Each statement follows the order
 * of the index, so that it ends when its batch is full. Resolves to the number of deleted
 * entries.
 */
async function pruneWhere(
  connections: Connections,
  condition: Sql,
  before: number,
  isClosed: () => boolean,
): Promise<number> {
  let pruned = 0
  while (!isClosed()) {
    const { rowCount } = await connections.write(sql`delete from audit where ctid in (
      select ctid from audit where ${condition} and at < ${before}
      order by at limit ${PRUNE_BATCH} for update skip locked)`)
    pruned += rowCount ?? 0
    if ((rowCount ?? 0) < PRUNE_BATCH) break
  }
  return pruned
}
