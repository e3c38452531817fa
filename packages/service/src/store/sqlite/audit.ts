import type { AuditStore } from '../ports.ts'
import type { Tables } from './tables.ts'

/** The audit log of a SQLite store. */
export function createAudit({ reader, writer, write, record }: Tables): AuditStore {
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
      const rows = await query.execute()
      return rows.map(({ tenant_id, request_id, ...row }) => ({
        ...row,
        tenantId: tenant_id ?? undefined,
        requestId: request_id ?? undefined,
      }))
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
