import type { StandingEffect, UserStore } from '../../ports.ts'
import type { User } from '../../records.ts'
import { searchTexts } from '../../search-text.ts'
import { searchKeys } from '../../user-search.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { inTenant, type Table, type TableDefinition } from '../table.ts'
import { createUserList } from '../user-list.ts'
import { toRow as toCredentialRow } from './credentials.ts'
import { standingOf, toStanding } from './standings.ts'

/** The methods for many users at once, and for users with all credentials. */
type AccountMethods = Pick<UserStore, 'insertMany' | 'updateAccount' | 'getAccount' | 'findAccount'>

/**
 * Creates the {@link UserStore} of an SQL database.
 *
 * @param insertCredential - Makes the step that inserts a credential.
 * @param count - Makes the step that counts an effect in the standing of a user.
 * @param ofAccounts - The methods that differ between databases.
 */
export function createUsers<S>(
  engine: Engine,
  table: Table<User, S>,
  insertCredential: (row: Row<'credentials'>) => S,
  count: (effect: StandingEffect, tenantId: string, userId: string) => S,
  ofAccounts: AccountMethods,
): UserStore {
  const { reader, json } = engine
  const find = createUserList(engine)
  const { trigrams } = engine
  return {
    insert: (user, audit, credential) =>
      table.insert(user, audit, () => credential && insertCredential(toCredentialRow(credential))),
    ...ofAccounts,
    get: table.byId,
    async getMany(tenantIds, ids) {
      if (ids.length === 0) return []
      const rows = await reader.all(sql<Row<'users'>>`select ${every('users')} from users
        where ${json.isOneOf('tenant_id', JSON.stringify(tenantIds))}
          and ${json.isOneOf('id', JSON.stringify(ids))}`)
      return rows.map(fromRow)
    },
    async findByEmails(tenantId, emailKeys) {
      const rows = await reader.all(sql<Row<'users'>>`select ${every('users')} from users
        where tenant_id = ${tenantId} and email_key in ${json.items(JSON.stringify(emailKeys))}`)
      return rows.map(fromRow)
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
      const rows = await reader.all(sql<Row<'last_logins'>>`
        select ${every('last_logins')} from last_logins
        where tenant_id = ${tenantId} and user_id in ${json.items(JSON.stringify(ids))}`)
      return new Map(rows.map(({ user_id, at }) => [user_id, at]))
    },
    update(tenantId, id, change, audit, effectOf) {
      let effect: StandingEffect | undefined
      function changeOne(last: User): User {
        const next = change(last)
        effect = next === last ? undefined : effectOf?.(last, next)
        return next
      }
      return table.update([tenantId, id], changeOne, audit, () =>
        effect === undefined ? undefined : count(effect, tenantId, id),
      )
    },
    async standing(tenantId, id) {
      return toStanding(await reader.first(standingOf(tenantId, id)))
    },
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

/** The name of the counter of a tenant's users. */
export const userCounter = (tenantId: string) => `users:${tenantId}`

/** The definition of the table of users. */
export const usersTable: TableDefinition<User, Row<'users'>> = {
  name: 'users',
  key: ['tenant_id', 'id'],
  unique: ['tenant_id', 'email_key'],
  parent: inTenant,
  counter: userCounter,
  toRow,
  fromRow,
}

/** The columns of a user that are written, including columns that only searches read. */
export type UserColumns = Row<'users'> & ReturnType<typeof searchTexts>

/** Makes the row of a user. */
export function toRow(user: User): UserColumns {
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

/** Makes the user from a row. */
export function fromRow(row: Row<'users'>): User {
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
