import type { Selectable } from 'kysely'
import type { AuditStore } from '../ports.ts'
import type { AuditEntry, StoredAuditEntry } from '../records.ts'
import type { Engine } from './engine.ts'
import { preparedInsert } from './prepared.ts'
import type { AuditRow } from './schema.ts'

/** Adds an entry to the audit log, inside a write. */
export type Record = (entry: AuditEntry) => Promise<unknown>

/** Adds to the audit log through the writing connection. */
export function createRecord({ writer }: Engine): Record {
  const insert = preparedInsert(writer, 'audit')
  return ({ tenantId, requestId, ...entry }) =>
    insert({ ...entry, tenant_id: tenantId ?? null, request_id: requestId ?? null })
}

/** The audit log of an SQL store. */
export function createAudit({ reader, writer, write }: Engine, record: Record): AuditStore {
  return {
    append: (entry) =>
      write(async () => {
        await record(entry)
      }),

    async list({ tenantId, requestId, target, limit = 100 }) {
      let query = reader.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit)
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
      if (requestId !== undefined) query = query.where('request_id', '=', requestId)
      if (target !== undefined) query = query.where('target', '=', target)
      return (await query.execute()).map(toEntry)
    },

    async after(id, limit) {
      const query = reader.selectFrom('audit').selectAll().where('id', '>', id)
      return (await query.orderBy('id').limit(limit).execute()).map(toEntry)
    },

    prune: (before) =>
      write(async () => {
        const { numDeletedRows } = await writer
          .deleteFrom('audit')
          .where('at', '<', before)
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
  }
}

function toEntry({ tenant_id, request_id, ...row }: Selectable<AuditRow>): StoredAuditEntry {
  return { ...row, tenantId: tenant_id ?? undefined, requestId: request_id ?? undefined }
}
