import type { UserStore } from '../ports.ts'
import type { User } from '../records.ts'
import type { Record } from './audit.ts'
import { toRow as toCredentialRow } from './credentials.ts'
import type { Engine } from './engine.ts'
import { preparedInsert } from './prepared.ts'
import type { UserRow } from './schema.ts'
import { createTable, inTenant } from './table.ts'

/** The users of an SQL store. */
export function createUsers(engine: Engine, record: Record): UserStore {
  const table = createTable<User>(engine, record, {
    name: 'users',
    key: ['tenant_id', 'id'],
    unique: ['tenant_id', 'email_key'],
    parent: inTenant,
    counter: userCounter,
    toRow,
    fromRow,
  })
  const insertCredential = preparedInsert(engine.writer, 'credentials')
  return {
    insert: (user, audit, credential) =>
      table.insert(user, audit, async () => {
        if (credential) await insertCredential(toCredentialRow(credential))
      }),
    get: table.byId,
    findByEmail: table.byUnique,
    list: (tenantId, page) => table.page([tenantId], page),
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

/** The counter of a tenant's users. */
export const userCounter = (tenantId: string) => `users:${tenantId}`

function toRow(user: User): UserRow {
  return {
    tenant_id: user.tenantId,
    id: user.id,
    email: user.email,
    email_key: user.emailKey,
    profile: JSON.stringify(user.profile),
    metadata: JSON.stringify(user.metadata),
    disabled: Number(user.disabled),
    verified_at: user.verifiedAt ?? null,
    sessions_valid_after: user.sessionsValidAfter,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }
}

function fromRow(row: UserRow): User {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    disabled: row.disabled === 1,
    verifiedAt: row.verified_at ?? undefined,
    sessionsValidAfter: row.sessions_valid_after,
    email: row.email,
    emailKey: row.email_key,
    profile: JSON.parse(row.profile),
  }
}
