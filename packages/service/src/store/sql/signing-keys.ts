import type { SigningKeyStore } from '../ports.ts'
import type { SigningKey } from '../records.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import type { SigningKeyRow } from './schema.ts'
import { createTable, inTenant } from './table.ts'

/** The signing keys of an SQL store. */
export function createSigningKeys(engine: Engine, record: Record): SigningKeyStore {
  const table = createTable<SigningKey>(engine, record, {
    name: 'signing_keys',
    key: ['tenant_id', 'id'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  return {
    insert: (key, audit) => table.insert(key, audit),
    async list(tenantId) {
      const rows = await engine.reader
        .selectFrom('signing_keys')
        .select(columns.signing_keys)
        .where('tenant_id', '=', tenantId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(fromRow)
    },
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow({ id, tenantId, createdAt, sealedJwk }: SigningKey): SigningKeyRow {
  return { tenant_id: tenantId, id, created_at: createdAt, sealed_jwk: sealedJwk }
}

function fromRow(row: SigningKeyRow): SigningKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    sealedJwk: row.sealed_jwk,
  }
}
