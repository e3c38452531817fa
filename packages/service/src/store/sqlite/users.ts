import type { UserStore } from '../ports.ts'
import type { User } from '../records.ts'
import { prepareCredentialInsert } from './credentials.ts'
import { listingOf } from './listing.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { UserRow } from './schema.ts'
import type { Tables } from './tables.ts'

/** The users of a SQLite store. */
export function createUsers(tables: Tables): UserStore {
  const { reader, writer, write, record, count } = tables
  const byId = prepared(reader, 2, (tenantId: string, id: string) =>
    reader.selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id),
  )
  const byEmail = prepared(reader, 2, (tenantId: string, key: string) =>
    reader
      .selectFrom('users')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('email_key', '=', key),
  )
  const current = prepared(writer, 2, (tenantId: string, id: string) =>
    writer.selectFrom('users').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id),
  )
  const ownerOf = prepared(writer, 2, (tenantId: string, key: string) =>
    writer
      .selectFrom('users')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('email_key', '=', key),
  )
  const insertUser = preparedInsert<'users', UserRow>(writer, 'users', [
    'tenant_id',
    'id',
    'email',
    'email_key',
    'profile',
    'metadata',
    'disabled',
    'verified_at',
    'sessions_valid_after',
    'created_at',
    'updated_at',
  ])
  const insertCredential = prepareCredentialInsert(writer)
  // One statement, so that the total and the page are of one moment.
  const page = prepared(
    reader,
    4,
    (scope: string, tenantId: string, after: string, limit: number) =>
      reader
        .selectFrom('counters')
        .leftJoin(
          reader
            .selectFrom('users')
            .selectAll()
            .where('tenant_id', '=', tenantId)
            .where('id', '>', after)
            .orderBy('id')
            .limit(limit)
            .as('page'),
          (join) => join.onTrue(),
        )
        .where('scope', '=', scope)
        .select('value as total')
        .selectAll('page')
        .orderBy('page.id'),
  )

  async function isTaken(user: User): Promise<boolean> {
    const [owner] = await ownerOf(user.tenantId, user.emailKey)
    return owner !== undefined && owner.id !== user.id
  }

  return {
    insert: (user, audit, credential) =>
      write(async () => {
        if (!(await tables.tenantExists(user.tenantId))) return { kind: 'missing' }
        if (await isTaken(user)) return { kind: 'duplicate' }
        await insertUser(toRow(user))
        if (credential) await insertCredential(credential)
        await count(`users:${user.tenantId}`, 1)
        await record(audit)
        return { kind: 'written', record: user }
      }),

    async get(tenantId, id) {
      const [row] = await byId(tenantId, id)
      return row && fromRow(row)
    },

    async findByEmail(tenantId, key) {
      const [row] = await byEmail(tenantId, key)
      return row && fromRow(row)
    },

    async list(tenantId, { after = '', limit }) {
      const rows = await page(`users:${tenantId}`, tenantId, after, limit + 1)
      return rows.length === 0 ? undefined : listingOf(rows, limit, fromRow)
    },

    update: (tenantId, id, change, audit) =>
      write(async () => {
        const [row] = await current(tenantId, id)
        if (!row) return { kind: 'missing' }
        const before = fromRow(row)
        const after = change(before)
        if (after === before) return { kind: 'unchanged', record: after }
        if (await isTaken(after)) return { kind: 'duplicate' }
        await writer
          .updateTable('users')
          .set(toRow(after))
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute()
        await record(audit)
        return { kind: 'written', record: after }
      }),

    delete: (tenantId, id, audit) =>
      write(async () => {
        const [row] = await current(tenantId, id)
        if (!row) return { kind: 'missing' }
        await writer
          .deleteFrom('users')
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute()
        await count(`users:${tenantId}`, -1)
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
}

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
