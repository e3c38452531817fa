import type { CredentialStore } from '../ports.ts'
import type { Credential, Micros } from '../records.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { CredentialRow } from './schema.ts'
import type { Table, TableDefinition } from './table.ts'

/**
 * The credentials of an SQL store. A user has a handful at most, one of each kind.
 *
 * @param endSessions - The step that ends the sessions of a user.
 */
export function createCredentials<S>(
  { reader }: Pick<Engine, 'reader'>,
  table: Table<Credential, S>,
  endSessions: (at: Micros, tenantId: string, userId: string) => S,
): CredentialStore {
  const ofUser = prepared(reader, 2, (tenantId: string, userId: string) =>
    reader
      .selectFrom('users')
      .leftJoin('credentials', (join) =>
        join
          .onRef('credentials.tenant_id', '=', 'users.tenant_id')
          .onRef('credentials.user_id', '=', 'users.id'),
      )
      .where('users.tenant_id', '=', tenantId)
      .where('users.id', '=', userId)
      .selectAll('credentials')
      .orderBy('credentials.id'),
  )

  return {
    insert(credential, audit, at) {
      const { tenantId, userId } = credential
      return table.insert(credential, audit, () =>
        at === undefined ? undefined : endSessions(at, tenantId, userId),
      )
    },
    get: table.byId,
    async list(tenantId, userId, { after = '', limit }) {
      const rows = await ofUser(tenantId, userId)
      if (rows.length === 0) return undefined
      const all = rows.filter(({ id }) => id !== null) as CredentialRow[]
      const following = all.filter(({ id }) => id > after)
      return {
        total: all.length,
        items: following.slice(0, limit).map(fromRow),
        more: following.length > limit,
      }
    },
    update(tenantId, userId, id, change, audit) {
      let at: Micros | undefined
      function changeOne(last: Credential): Credential {
        const { credential, sessionsValidAfter } = change(last)
        at = sessionsValidAfter
        return credential === last ? last : { ...credential, rev: last.rev + 1 }
      }
      return table.update([tenantId, userId, id], changeOne, audit, () =>
        at === undefined ? undefined : endSessions(at, tenantId, userId),
      )
    },
    delete: (tenantId, userId, id, audit, at) =>
      table.delete([tenantId, userId, id], audit, () => endSessions(at, tenantId, userId)),
  }
}

/** The table of credentials. */
export const credentialsTable: TableDefinition<Credential> = {
  name: 'credentials',
  key: ['tenant_id', 'user_id', 'id'],
  parent: { name: 'users', key: ['tenant_id', 'id'], columns: ['tenant_id', 'user_id'] },
  toRow,
  fromRow,
}

/** Rows say it as the specification does. */
const typeOf = { password: 'PasswordCredential' } as const

/** A credential as a row. */
export function toRow(credential: Credential): CredentialRow {
  return {
    tenant_id: credential.tenantId,
    user_id: credential.userId,
    id: credential.id,
    type: typeOf[credential.kind],
    secret: JSON.stringify(credential.password),
    metadata: JSON.stringify(credential.metadata),
    disabled: Number(credential.disabled),
    created_at: credential.createdAt,
    updated_at: credential.updatedAt,
    state: JSON.stringify(credential.state),
    rev: credential.rev,
  }
}

function fromRow(row: CredentialRow): Credential {
  return {
    kind: 'password',
    id: row.id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    disabled: row.disabled === 1,
    rev: row.rev,
    password: JSON.parse(row.secret),
    state: JSON.parse(row.state),
  }
}
