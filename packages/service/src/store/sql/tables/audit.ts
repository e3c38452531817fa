import { type AuditStore, type EntriesAfter, NO_TENANT, TRIM_BATCH } from '../../ports.ts'
import type { AuditEntry, StoredAuditEntry } from '../../records.ts'
import { SYSTEM_TENANT_ID } from '../../system-tenant.ts'
import { readAuditDetails, storeChanges } from '../audit-details.ts'
import { createAuditCount, createAuditDays, createAuditSearch } from '../audit-search.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { insertInto, join, type Sql, separators, sql } from '../sql.ts'
import { type AddEntry, createInsert } from '../table.ts'

type EntryRow = Row<'audit'>

/** The action of a successful login. */
export const LOGIN = 'login.succeeded'

/** Whether an entry records a successful login at a tenant. */
export function isLogin({ action, tenantId, outcome }: AuditEntry): boolean {
  return action === LOGIN && outcome === 'success' && tenantId !== undefined
}

/**
 * The expression for the method of the later of two logins: the new method, unless the new login is
 * earlier or its method is unknown. The expression reads `last_logins.at` as it was before the
 * update.
 */
export const latestWay: Sql = sql`case when excluded.at >= last_logins.at and excluded.way is not null
  then excluded.way else last_logins.way end`

/** Makes the function that adds entries to the audit log inside {@link Engine.write}. */
export function createAddEntry({ writer, concerns }: Engine): AddEntry {
  const insert = createInsert(writer, 'audit')
  return async (entry) => {
    concerns?.(entry.tenantId ?? NO_TENANT)
    const row = toRow(entry)
    if (!entry.changes?.length) return insert(row)
    const added = insertInto('audit', Object.keys(row), Object.values(row))
    const inserted = await writer.first(sql<{ id: number }>`${added} returning id`)
    return writer.run(
      storeChanges(entry.changes, sql`select cast(${inserted?.id ?? null} as bigint) as id`),
    )
  }
}

/** The beginning of a query for entries, before the `where`. */
export const entries: Sql<EntryRow> = sql`select ${every('audit')} from audit`

/** Makes the audit log of an SQL store. The databases differ in `prune`. */
export function createAudit(engine: Engine, addEntry: AddEntry): Omit<AuditStore, 'prune'> {
  const { reader, writer, write } = engine
  return {
    append: (entry) =>
      write(async () => {
        await addEntry(entry)
        if (!isLogin(entry)) return
        const { at, tenantId = '', target, loginWay: way } = entry
        await writer.run(sql`insert into last_logins (tenant_id, user_id, at, way)
          select tenant_id, id, ${at}, ${way ?? null} from users where tenant_id = ${tenantId} and id = ${target}
          on conflict (tenant_id, user_id) do update
          set at = max(at, excluded.at), way = ${latestWay}`)
      }),

    async list({ tenantId, requestId, target, limit = 100 }) {
      const conditions = [
        tenantId !== undefined && sql`tenant_id = ${tenantId}`,
        requestId !== undefined && sql`request_id = ${requestId}`,
        target !== undefined && sql`target = ${target}`,
      ].filter((one) => one !== false)
      // The order of the index that the query uses. Only the index by tenant is sorted by time.
      const isByTime = tenantId !== undefined && conditions.length === 1
      const rows = await reader.all(sql<EntryRow>`${entries}
        ${conditions.length > 0 ? sql`where ${join(conditions, separators.and)}` : sql``}
        order by ${isByTime ? sql`at desc, ` : sql``}id desc limit ${limit}`)
      return rows.map(toEntry)
    },

    details: (ids) => readAuditDetails(reader, ids),

    search: createAuditSearch(engine, toEntry),

    count: createAuditCount(engine),

    countByDay: createAuditDays(engine),

    async unchangedSince(tenantId, jobId, { after, limit }) {
      const rows = await reader.all(sql<{ id: number; target: string }>`select id, target
        from audit as entry where ${changedBy(tenantId, jobId)} and ${isUnchanged}
          and id > ${after} order by id limit ${limit}`)
      return rows.map(({ id, target }) => ({ id, userId: target }))
    },

    async countUnchanged(tenantId, jobId, limit) {
      const row = await reader.first(sql<{ changed: number; unchanged: number }>`
        select count(*) as changed, coalesce(sum(is_unchanged), 0) as unchanged
        from (select case when ${isUnchanged} then 1 else 0 end as is_unchanged
          from audit as entry where ${changedBy(tenantId, jobId)} limit ${limit}) as counted`)
      return { changed: Number(row?.changed ?? 0), unchanged: Number(row?.unchanged ?? 0) }
    },

    async get(tenantId, id) {
      const isOf = tenantId === undefined ? sql`1 = 1` : sql`tenant_id = ${tenantId}`
      const row = await reader.first(sql<EntryRow>`${entries} where id = ${id} and ${isOf}`)
      return row && toEntry(row)
    },

    ...createLogReader(engine),

    async between(tenantId, after, to, limit) {
      const rows = await reader.all(sql<EntryRow>`${entries}
        where tenant_id = ${tenantId} and outcome <> 'refused'
          and (at, id) > (${after.at}, ${after.id}) and at < ${to}
        order by at, id limit ${limit}`)
      return rows.map(toEntry)
    },

    // `'refused'` is written as text, because with a parameter the index of refused entries would
    // not be used.
    trimRefused: (actor, keep) =>
      write(() =>
        writer.run(sql`delete from audit where id in (
          select id from audit where actor = ${actor} and outcome = 'refused'
          order by id desc limit ${TRIM_BATCH} offset ${keep})`),
      ),
  }
}

/** Makes the methods that read the log in the order of its ids. */
function createLogReader({
  reader,
  lastEntry,
}: Engine): Pick<AuditStore, 'after' | 'afterOf' | 'last' | 'newest' | 'oldestUnless'> {
  return {
    async after(id, limit) {
      const rows = await reader.all(
        sql<EntryRow>`${entries} where id > ${id} order by id limit ${limit}`,
      )
      return rows.map(toEntry)
    },

    async afterOf(tenantId, id, limit) {
      const last = await reader.first(sql<{ id: number | null }>`select max(id) as id from audit`)
      return entriesAfter(reader, { tenantId, id, limit, end: last?.id ?? id })
    },

    async last() {
      const row = await reader.first(sql<{ id: number }>`select ${lastEntry} as id`)
      return row?.id ?? 0
    },

    async newest() {
      const row = await reader.first(sql<{ id: number | null }>`select max(id) as id from audit`)
      return row?.id ?? 0
    },

    async oldestUnless(id) {
      const row = await reader.first(sql<{
        oldest: number
      }>`select pruned_to as oldest from audit_log
        where ${id} < pruned_to or ${id} > ${lastEntry}
          or exists (select 1 from restores where ends < ${id} and begins > ${id})`)
      return row?.oldest
    },
  }
}

/** The condition for the entries of a job about the users whom the job disabled or enabled. */
const changedBy = (tenantId: string, jobId: string): Sql =>
  sql`entry.request_id = ${jobId} and entry.tenant_id = ${tenantId}
    and entry.action = 'user.update' and entry.outcome = 'success'`

/**
 * The condition that the user of an entry still exists, and that the account was not disabled,
 * enabled, contested or taken back after the entry.
 */
const isUnchanged = sql`exists (select 1 from users
    where users.tenant_id = entry.tenant_id and users.id = entry.target)
  and not exists (select 1 from audit as later
    where later.target = entry.target and later.id > entry.id and later.outcome = 'success'
      and (later.action in ('user.contest', 'user.take_back') or later.fields like '%"disabled=%'))`

/**
 * The statement that stores the last id of the entries that will be deleted. Run it before the
 * deletion.
 *
 * @param isOld - The condition for these entries.
 */
export function notePruned(isOld: Sql): Sql {
  return sql`update audit_log set pruned_to = gone.id
    from (select max(id) as id from audit where ${isOld} and outcome <> 'refused') as gone
    where gone.id > audit_log.pruned_to`
}

/**
 * Reads at most `limit` entries of a tenant with ids above `id` and up to `end`, without refused
 * requests. For the system tenant, entries of no tenant are included.
 *
 * @param query - `end`: the id up to which the log is complete.
 */
export async function entriesAfter(
  reader: Engine['reader'],
  { tenantId, id, limit, end }: { tenantId: string; id: number; limit: number; end: number },
): Promise<EntriesAfter> {
  const isOf = sql`tenant_id = ${tenantId}`
  const rows = await reader.all(sql<EntryRow>`${entries}
    where ${tenantId === SYSTEM_TENANT_ID ? sql`(${isOf} or tenant_id is null)` : isOf}
      and outcome <> 'refused' and id > ${id} and id <= ${end} order by id limit ${limit}`)
  const found = rows.map(toEntry)
  const isAll = found.length < limit
  return { entries: found, readTo: Math.max(id, isAll ? end : (found.at(-1)?.id ?? end)) }
}

/** Makes the row of an entry, without the id, which the database assigns. */
export function toRow(entry: AuditEntry): Omit<EntryRow, 'id'> {
  return {
    at: entry.at,
    tenant_id: entry.tenantId ?? null,
    actor: entry.actor,
    request_id: entry.requestId ?? null,
    action: entry.action,
    target: entry.target,
    outcome: entry.outcome,
    address: entry.address ?? null,
    user_agent: entry.userAgent ?? null,
    application_id: entry.applicationId ?? null,
    fields: entry.fields ? JSON.stringify(entry.fields) : null,
  }
}

/** Makes the entry from a row. The row may have further columns. */
export function toEntry(row: EntryRow): StoredAuditEntry {
  return {
    id: row.id,
    at: row.at,
    tenantId: row.tenant_id ?? undefined,
    actor: row.actor,
    requestId: row.request_id ?? undefined,
    action: row.action,
    target: row.target,
    outcome: row.outcome,
    address: row.address ?? undefined,
    userAgent: row.user_agent ?? undefined,
    applicationId: row.application_id ?? undefined,
    fields: row.fields === null ? undefined : JSON.parse(row.fields),
  }
}
