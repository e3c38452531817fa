import type { UserStore } from '../ports.ts'
import type { User } from '../records.ts'
import { searchTexts } from '../search-text.ts'
import { searchKeys } from '../user-search.ts'
import { columns } from './columns.ts'
import { toRow as toCredentialRow } from './credentials.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { CredentialRow, LastLoginRow, UserRow, WrittenUserRow } from './schema.ts'
import { inTenant, type Table, type TableDefinition } from './table.ts'
import { createUserList } from './user-list.ts'

/** Many users at once, and a user with all credentials. */
type AccountMethods = Pick<UserStore, 'insertMany' | 'updateAccount' | 'getAccount' | 'findAccount'>

/**
 * The users of an SQL store.
 *
 * @param insertCredential - The step that adds a credential.
 * @param ofAccounts - Some databases write accounts in ways of their own.
 */
export function createUsers<S>(
  engine: Engine,
  table: Table<User, S>,
  insertCredential: (row: CredentialRow) => S,
  ofAccounts: AccountMethods,
): UserStore {
  const { reader, json } = engine
  const find = createUserList(engine)
  const { trigrams } = engine
  const lastLogins = prepared<[string, string], LastLoginRow>(reader, 2, (tenantId, ids) =>
    reader
      .selectFrom('last_logins')
      .select(['user_id', 'at', 'tenant_id'])
      .where('tenant_id', '=', tenantId)
      .where('user_id', 'in', json.items(ids)),
  )
  const byEmails = prepared<[string, string], UserRow>(reader, 2, (tenantId, keys) =>
    reader
      .selectFrom('users')
      .select(columns.users)
      .where('tenant_id', '=', tenantId)
      .where('email_key', 'in', json.items(keys)),
  )
  const byIds = prepared<[string, string], UserRow>(reader, 2, (tenantIds, ids) =>
    reader
      .selectFrom('users')
      .select(columns.users)
      .where(json.isOneOf('tenant_id', tenantIds))
      .where(json.isOneOf('id', ids)),
  )
  return {
    insert: (user, audit, credential) =>
      table.insert(user, audit, () => credential && insertCredential(toCredentialRow(credential))),
    ...ofAccounts,
    get: table.byId,
    async getMany(tenantIds, ids) {
      if (ids.length === 0) return []
      return (await byIds(JSON.stringify(tenantIds), JSON.stringify(ids))).map(fromRow)
    },
    async findByEmails(tenantId, emailKeys) {
      return (await byEmails(tenantId, JSON.stringify(emailKeys))).map(fromRow)
    },
    findByEmail: table.byUnique,
    list: (tenantId, page) => table.page([tenantId], page),
    async search(tenantId, query, page) {
      const { items, next } = await find(tenantId, query, page)
      return { items: items.map(fromRow), next }
    },
    findsInside: () => trigrams.isReady(),
    async lastLogins(tenantId, ids) {
      if (ids.length === 0) return new Map()
      const rows = await lastLogins(tenantId, JSON.stringify(ids))
      return new Map(rows.map(({ user_id, at }) => [user_id, at]))
    },
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

/** The counter of a tenant's users. */
export const userCounter = (tenantId: string) => `users:${tenantId}`

/** The table of users. */
export const usersTable: TableDefinition<User> = {
  name: 'users',
  key: ['tenant_id', 'id'],
  unique: ['tenant_id', 'email_key'],
  parent: inTenant,
  counter: userCounter,
  toRow,
  fromRow,
}

/** A user as a row. */
export function toRow(user: User): WrittenUserRow {
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
    ...searchKeys(user),
    ...searchTexts(user),
  }
}

/** A row as a user. */
export function fromRow(row: UserRow): User {
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
