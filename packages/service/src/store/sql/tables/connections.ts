import type { ConnectionStore } from '../../ports.ts'
import type { Connection, RecipeName } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable, inTenant } from '../table.ts'

/** Creates the {@link ConnectionStore} of an SQL database. */
export function createConnectionTable(engine: Engine, addEntry: AddEntry): ConnectionStore {
  const { reader, writer } = engine
  const table = createTable(engine, addEntry, {
    name: 'connections',
    key: ['tenant_id', 'id'],
    unique: ['tenant_id', 'name'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  const ofTenant = (tenantId: string) =>
    sql<Row<'connections'>>`select ${every('connections')}
      from connections where tenant_id = ${tenantId} order by created_at, id`
  return {
    insert: (connection, audit, check) =>
      table.insert(connection, audit, undefined, async () => {
        check?.((await writer.all(ofTenant(connection.tenantId))).map(fromRow))
        return true
      }),
    get: table.byId,
    list: async (tenantId) => (await reader.all(ofTenant(tenantId))).map(fromRow),
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow(connection: Connection): Row<'connections'> {
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
    own_callback: Number(connection.ownCallback),
    created_at: connection.createdAt,
    updated_at: connection.updatedAt,
  }
}

function fromRow(row: Row<'connections'>): Connection {
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
    ownCallback: row.own_callback === 1,
    apple: row.apple === null ? undefined : JSON.parse(row.apple),
  }
}
