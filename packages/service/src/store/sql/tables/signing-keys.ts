import type { SigningKeyStore } from '../../ports.ts'
import type { SigningKey } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable, inTenant } from '../table.ts'

/** Creates the {@link SigningKeyStore} of an SQL database. */
export function createSigningKeys(engine: Engine, addEntry: AddEntry): SigningKeyStore {
  const table = createTable(engine, addEntry, {
    name: 'signing_keys',
    key: ['tenant_id', 'id'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  return {
    insert: (key, audit) => table.insert(key, audit),
    async list(tenantId) {
      const rows = await engine.reader.all(sql<Row<'signing_keys'>>`select ${every('signing_keys')}
        from signing_keys where tenant_id = ${tenantId} order by created_at, id`)
      return rows.map(fromRow)
    },
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow({ id, tenantId, createdAt, sealedJwk }: SigningKey): Row<'signing_keys'> {
  return { tenant_id: tenantId, id, created_at: createdAt, sealed_jwk: sealedJwk }
}

function fromRow(row: Row<'signing_keys'>): SigningKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    sealedJwk: row.sealed_jwk,
  }
}
