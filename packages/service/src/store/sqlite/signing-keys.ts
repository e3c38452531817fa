import type { SigningKeyStore } from '../ports.ts'
import type { Tables } from './tables.ts'

/** The signing keys of a SQLite store. */
export function createSigningKeys(tables: Tables): SigningKeyStore {
  const { reader, writer, write, record } = tables
  return {
    insert: (key, audit) =>
      write(async () => {
        if (!(await tables.tenantExists(key.tenantId))) return 'orphan'
        const { numInsertedOrUpdatedRows } = await writer
          .insertInto('signing_keys')
          .values({
            tenant_id: key.tenantId,
            id: key.id,
            created_at: key.createdAt,
            sealed_jwk: key.sealedJwk,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        if (numInsertedOrUpdatedRows === 0n) return 'duplicate'
        await record(audit)
        return 'inserted'
      }),

    async list(tenantId) {
      const rows = await reader
        .selectFrom('signing_keys')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        tenantId: row.tenant_id,
        createdAt: row.created_at,
        sealedJwk: row.sealed_jwk,
      }))
    },

    delete: (tenantId, id, audit) =>
      write(async () => {
        const { numDeletedRows } = await writer
          .deleteFrom('signing_keys')
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await record(audit)
        return true
      }),
  }
}
