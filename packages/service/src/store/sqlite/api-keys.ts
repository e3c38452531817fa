import { sql } from 'kysely'
import type { ApiKeyStore } from '../ports.ts'
import type { ApiKey } from '../records.ts'
import { prepared } from './prepared.ts'
import type { ApiKeyRow } from './schema.ts'
import type { Tables } from './tables.ts'

type ListedKey = ApiKeyRow & { tenants: string }

/** The API keys of a SQLite store. */
export function createApiKeys(tables: Tables): ApiKeyStore {
  const { reader, writer, write, record } = tables
  const reached = sql<string>`case when reaches_all = 0 then (
    select json_group_array(tenant_id) from api_key_tenants where key_id = api_keys.id
  ) end`.as('tenants')
  const byHash = prepared(reader, 1, (hash: string) =>
    reader.selectFrom('api_keys').selectAll().select(reached).where('hash', '=', hash),
  )

  return {
    insert: (key, audit) =>
      write(async () => {
        const reach = key.reach === 'all' ? [] : key.reach
        for (const id of reach) if (!(await tables.tenantExists(id))) return { kind: 'missing' }
        await writer.insertInto('api_keys').values(toRow(key)).execute()
        for (const id of reach) {
          await writer
            .insertInto('api_key_tenants')
            .values({ key_id: key.id, tenant_id: id })
            .execute()
        }
        await record(audit)
        return { kind: 'written', record: key }
      }),

    async findByHash(hash) {
      const [row] = await byHash(hash)
      return row && fromRow(row)
    },

    async list() {
      const rows = await reader
        .selectFrom('api_keys')
        .selectAll()
        .select(reached)
        .orderBy('id')
        .execute()
      return rows.map(fromRow)
    },

    revoke: (id, at, audit) =>
      write(async () => {
        const row = await writer
          .selectFrom('api_keys')
          .selectAll()
          .select(reached)
          .where('id', '=', id)
          .executeTakeFirst()
        if (!row) return { kind: 'missing' }
        if (row.revoked_at !== null) return { kind: 'unchanged', record: fromRow(row) }
        await writer.updateTable('api_keys').set({ revoked_at: at }).where('id', '=', id).execute()
        await record(audit)
        return { kind: 'written', record: fromRow({ ...row, revoked_at: at }) }
      }),

    touch: (id, at) =>
      write(async () => {
        await writer
          .updateTable('api_keys')
          .set({ last_used_at: at })
          .where('id', '=', id)
          .execute()
      }),
  }
}

function toRow(key: ApiKey): ApiKeyRow {
  return {
    id: key.id,
    name: key.name,
    hash: key.hash,
    last4: key.last4,
    reaches_all: Number(key.reach === 'all'),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
  }
}

function fromRow(row: ListedKey): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    last4: row.last4,
    reach: row.reaches_all === 1 ? 'all' : JSON.parse(row.tenants),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}
