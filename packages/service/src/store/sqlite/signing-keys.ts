import type { SigningKeyStore } from '../ports.ts'
import type { SigningKey } from '../records.ts'
import type { Schema } from './schema.ts'
import type { Tables } from './tables.ts'

/** The signing keys of a SQLite store. */
export function createSigningKeys(tables: Tables): SigningKeyStore {
  const { reader, writer, write, record } = tables
  return {
    insert: (key, audit) =>
      write(async () => {
        if (!(await tables.tenantExists(key.tenantId))) return { kind: 'missing' }
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
        if (numInsertedOrUpdatedRows === 0n) return { kind: 'duplicate' }
        await record(audit)
        return { kind: 'written', record: key }
      }),

    async list(tenantId) {
      const rows = await reader
        .selectFrom('signing_keys')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(fromRow)
    },

    delete: (tenantId, id, audit) =>
      write(async () => {
        const row = await writer
          .deleteFrom('signing_keys')
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        if (!row) return { kind: 'missing' }
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
}

function fromRow(row: Schema['signing_keys']): SigningKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    sealedJwk: row.sealed_jwk,
  }
}
