import { type Selectable, sql } from 'kysely'
import { type AuditStore, type EntriesAfter, NO_TENANT, TRIM_BATCH } from '../ports.ts'
import type { AuditEntry, StoredAuditEntry } from '../records.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { createAuditCount, createAuditSearch } from './audit-search.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { AuditRow } from './schema.ts'

// Not a parameter, so that the index of refused entries is used.
const isRefused = sql<boolean>`outcome = 'refused'`
const isNotRefused = sql<boolean>`outcome <> 'refused'`

/** The action of a login that has ended well. */
export const LOGIN = 'login.succeeded'

/** Whether an entry is about a user who has logged in. */
export function isLogin({ action, tenantId, outcome }: AuditEntry): boolean {
  return action === LOGIN && outcome === 'success' && tenantId !== undefined
}

/** Adds an entry to the audit log, inside a write. */
export type Record = (entry: AuditEntry) => Promise<unknown>

/** Adds to the audit log through the writing connection. */
export function createRecord({ writer, concerns }: Engine): Record {
  const insert = preparedInsert(writer, 'audit')
  return (entry) => {
    concerns?.(entry.tenantId ?? NO_TENANT)
    return insert(toRow(entry))
  }
}

/** The audit log of an SQL store. */
export function createAudit(engine: Engine, record: Record): AuditStore {
  const { reader, writer, write } = engine
  const keepLogin = prepared<[number, string, string], never>(writer, 3, (at, tenantId, userId) => {
    const insert = sql<never>`insert into last_logins (tenant_id, user_id, at)
      select tenant_id, id, ${at} from users where tenant_id = ${tenantId} and id = ${userId}
      on conflict (tenant_id, user_id) do update set at = max(at, excluded.at)`
    return { compile: () => insert.compile(writer) }
  })
  return {
    append: (entry) =>
      write(async () => {
        await record(entry)
        if (isLogin(entry)) await keepLogin(entry.at, entry.tenantId ?? '', entry.target)
      }),

    async list({ tenantId, requestId, target, limit = 100 }) {
      let query = reader.selectFrom('audit').select(columns.audit).limit(limit)
      // As the index has it; elsewhere the order of ids is that of time.
      if (tenantId !== undefined && requestId === undefined && target === undefined) {
        query = query.orderBy('at', 'desc')
      }
      query = query.orderBy('id', 'desc')
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
      if (requestId !== undefined) query = query.where('request_id', '=', requestId)
      if (target !== undefined) query = query.where('target', '=', target)
      return (await query.execute()).map(toEntry)
    },

    search: createAuditSearch(engine, toEntry),

    count: createAuditCount(engine),

    async get(tenantId, id) {
      let query = reader.selectFrom('audit').select(columns.audit).where('id', '=', id)
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
      const row = await query.executeTakeFirst()
      return row && toEntry(row)
    },

    async after(id, limit) {
      const query = reader.selectFrom('audit').select(columns.audit).where('id', '>', id)
      return (await query.orderBy('id').limit(limit).execute()).map(toEntry)
    },

    async afterOf(tenantId, id, limit) {
      const last = await reader
        .selectFrom('audit')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirst()
      return entriesAfter(reader, { tenantId, id, limit, end: last?.id ?? id })
    },

    async between(tenantId, after, to, limit) {
      const query = reader
        .selectFrom('audit')
        .select(columns.audit)
        .where('tenant_id', '=', tenantId)
        .where(isNotRefused)
        .where(sql<boolean>`(at, id) > (${after.at}, ${after.id})`)
        .where('at', '<', to)
      return (await query.orderBy('at').orderBy('id').limit(limit).execute()).map(toEntry)
    },

    trimRefused: (actor, keep) =>
      write(async () => {
        const surplus = writer
          .selectFrom('audit')
          .select('id')
          .where('actor', '=', actor)
          .where(isRefused)
          .orderBy('id', 'desc')
          .offset(keep)
          .limit(TRIM_BATCH)
        const { numDeletedRows } = await writer
          .deleteFrom('audit')
          .where('id', 'in', surplus)
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),

    prune: (before, refusedBefore) =>
      write(async () => {
        const { numDeletedRows } = await writer
          .deleteFrom('audit')
          .where((eb) =>
            eb.or([eb('at', '<', before), eb.and([isRefused, eb('at', '<', refusedBefore)])]),
          )
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
  }
}

/**
 * The entries of a tenant between an id and the end of the complete log, without refused requests. Entries without a
 * tenant are those of the system tenant.
 */
export async function entriesAfter(
  reader: Engine['reader'],
  { tenantId, id, limit, end }: { tenantId: string; id: number; limit: number; end: number },
): Promise<EntriesAfter> {
  const rows = await reader
    .selectFrom('audit')
    .select(columns.audit)
    .where(({ eb, or }) =>
      tenantId === SYSTEM_TENANT_ID
        ? or([eb('tenant_id', '=', tenantId), eb('tenant_id', 'is', null)])
        : eb('tenant_id', '=', tenantId),
    )
    .where(isNotRefused)
    .where('id', '>', id)
    .where('id', '<=', end)
    .orderBy('id')
    .limit(limit)
    .execute()
  const entries = rows.map(toEntry)
  const isAll = entries.length < limit
  return { entries, readTo: Math.max(id, isAll ? end : (entries.at(-1)?.id ?? end)) }
}

/** An entry as a row; the database gives it its id. */
export function toRow(entry: AuditEntry): Omit<AuditRow, 'id'> {
  const { tenantId, requestId, address, userAgent, applicationId, fields, ...rest } = entry
  return {
    ...rest,
    tenant_id: tenantId ?? null,
    request_id: requestId ?? null,
    address: address ?? null,
    user_agent: userAgent ?? null,
    application_id: applicationId ?? null,
    fields: fields ? JSON.stringify(fields) : null,
  }
}

/** A row as an entry. A database may keep more in it for itself. */
export function toEntry(row: Selectable<AuditRow>): StoredAuditEntry {
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
