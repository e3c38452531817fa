import type { CredentialStore } from '../ports.ts'
import type { Credential, Micros } from '../records.ts'
import type { SqliteKysely } from './dialect.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { CredentialRow, Schema } from './schema.ts'
import type { Tables } from './tables.ts'

/** The credentials of a SQLite store. A user has a handful at most, one of each kind. */
export function createCredentials({ reader, writer, write, record }: Tables): CredentialStore {
  const byId = prepared(reader, 3, (tenantId: string, userId: string, id: string) =>
    reader
      .selectFrom('credentials')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('id', '=', id),
  )
  const current = prepared(writer, 3, (tenantId: string, userId: string, id: string) =>
    writer
      .selectFrom('credentials')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('id', '=', id),
  )
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
  const user = prepared(writer, 2, (tenantId: string, id: string) =>
    writer.selectFrom('users').select('id').where('tenant_id', '=', tenantId).where('id', '=', id),
  )
  const insertCredential = prepareCredentialInsert(writer)

  async function endSessions(tenantId: string, userId: string, at: Micros): Promise<void> {
    await writer
      .updateTable('users')
      .set({ sessions_valid_after: at })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', userId)
      .execute()
  }

  return {
    insert: (credential, audit, sessionsValidAfter) =>
      write(async () => {
        const { tenantId, userId, id } = credential
        if ((await user(tenantId, userId)).length === 0) return { kind: 'missing' }
        if ((await current(tenantId, userId, id)).length > 0) return { kind: 'duplicate' }
        await insertCredential(credential)
        if (sessionsValidAfter !== undefined)
          await endSessions(tenantId, userId, sessionsValidAfter)
        await record(audit)
        return { kind: 'written', record: credential }
      }),

    async get(tenantId, userId, id) {
      const [row] = await byId(tenantId, userId, id)
      return row && fromRow(row)
    },

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

    update: (tenantId, userId, id, change, audit) =>
      write(async () => {
        const [row] = await current(tenantId, userId, id)
        if (!row) return { kind: 'missing' }
        const before = fromRow(row)
        const { credential, sessionsValidAfter } = change(before)
        if (credential === before) return { kind: 'unchanged', record: before }
        const after = { ...credential, rev: before.rev + 1 }
        await writer
          .updateTable('credentials')
          .set(toRow(after))
          .where('tenant_id', '=', tenantId)
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .execute()
        if (sessionsValidAfter !== undefined)
          await endSessions(tenantId, userId, sessionsValidAfter)
        await record(audit)
        return { kind: 'written', record: after }
      }),

    delete: (tenantId, userId, id, audit, sessionsValidAfter) =>
      write(async () => {
        const [row] = await current(tenantId, userId, id)
        if (!row) return { kind: 'missing' }
        await writer
          .deleteFrom('credentials')
          .where('tenant_id', '=', tenantId)
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .execute()
        await endSessions(tenantId, userId, sessionsValidAfter)
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
}

/** Inserts a credential through the writing connection. */
export function prepareCredentialInsert(
  writer: SqliteKysely<Schema>,
): (credential: Credential) => Promise<unknown> {
  const insert = preparedInsert<'credentials', CredentialRow>(writer, 'credentials', [
    'tenant_id',
    'user_id',
    'id',
    'type',
    'secret',
    'metadata',
    'disabled',
    'created_at',
    'updated_at',
    'state',
    'rev',
  ])
  return (credential) => insert(toRow(credential))
}

/** Rows say it as the specification does. */
const typeOf = { password: 'PasswordCredential' } as const

function toRow(credential: Credential): CredentialRow {
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
