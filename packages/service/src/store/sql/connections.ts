import type { ConnectionStore } from '../ports.ts'
import type { Connection, RecipeName } from '../records.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { ConnectionRow } from './schema.ts'
import { createTable, inTenant } from './table.ts'

/** The connections of an SQL store. */
export function createConnectionTable(engine: Engine, record: Record): ConnectionStore {
  const { reader } = engine
  const table = createTable<Connection>(engine, record, {
    name: 'connections',
    key: ['tenant_id', 'id'],
    unique: ['tenant_id', 'name'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  const ofTenant = prepared(reader, 1, (tenantId: string) =>
    reader
      .selectFrom('connections')
      .select(columns.connections)
      .where('tenant_id', '=', tenantId)
      .orderBy('created_at')
      .orderBy('id'),
  )
  return {
    insert: (connection, audit) => table.insert(connection, audit),
    get: table.byId,
    list: async (tenantId) => (await ofTenant(tenantId)).map(fromRow),
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow(connection: Connection): ConnectionRow {
  return {
    tenant_id: connection.tenantId,
    id: connection.id,
    name: connection.name,
    recipe: connection.recipe,
    issuer: connection.issuer,
    client_id: connection.clientId,
    sealed_secret: connection.sealedSecret,
    scopes: JSON.stringify(connection.scopes),
    trust_email: Number(connection.trustEmail),
    allow_signup: Number(connection.allowSignup),
    enabled: Number(connection.enabled),
    apple: connection.apple ? JSON.stringify(connection.apple) : null,
    created_at: connection.createdAt,
    updated_at: connection.updatedAt,
  }
}

function fromRow(row: ConnectionRow): Connection {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    recipe: row.recipe as RecipeName,
    issuer: row.issuer,
    clientId: row.client_id,
    sealedSecret: row.sealed_secret,
    scopes: JSON.parse(row.scopes),
    trustEmail: row.trust_email === 1,
    allowSignup: row.allow_signup === 1,
    enabled: row.enabled === 1,
    apple: row.apple === null ? undefined : JSON.parse(row.apple),
  }
}
