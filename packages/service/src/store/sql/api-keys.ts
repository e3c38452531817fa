import { sql } from 'kysely'
import type { ApiKeyStore } from '../ports.ts'
import type { ApiKey } from '../records.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { ApiKeyRow } from './schema.ts'

type ListedKey = ApiKeyRow & { tenants: string }

/** The API keys of an SQL store. */
export function createApiKeys(engine: Engine, record: Record): ApiKeyStore {
  const { reader, writer, write, json } = engine
  const reached = sql<string>`case when reaches_all = 0 then (
    select ${json.arrayOf('tenant_id')} from api_key_tenants where key_id = api_keys.id
  ) else (select ${json.arrayOf('id')} from tenants where deleted_at is not null) end`.as('tenants')
  const listed = (db: typeof reader) =>
    db.selectFrom('api_keys').select(columns.api_keys).select(reached)
  const byHash = prepared(reader, 1, (hash: string) => listed(reader).where('hash', '=', hash))

  function change(id: string, changes: Partial<ApiKeyRow>): Promise<unknown> {
    return writer.updateTable('api_keys').set(changes).where('id', '=', id).execute()
  }

  return {
    insert: (key, audit) =>
      write(async () => {
        const reach = key.reach === 'all' ? [] : key.reach
        for (const id of reach) {
          const tenant = writer
            .selectFrom('tenants')
            .select('id')
            .where('id', '=', id)
            .where('deleted_at', 'is', null)
          const exists = id !== SYSTEM_TENANT_ID && (await tenant.executeTakeFirst())
          if (!exists) return { kind: 'missing' }
        }
        await writer.insertInto('api_keys').values(toRow(key)).execute()
        for (const tenant_id of reach) {
          await writer.insertInto('api_key_tenants').values({ key_id: key.id, tenant_id }).execute()
        }
        await record(audit)
        return { kind: 'written', record: key }
      }),

    async findByHash(hash) {
      const [row] = await byHash(hash)
      return row && fromRow(row)
    },

    list: async () => (await listed(reader).orderBy('id').execute()).map(fromRow),

    revoke: (id, at, audit) =>
      write(async () => {
        const row = await listed(writer).where('id', '=', id).executeTakeFirst()
        if (!row) return { kind: 'missing' }
        if (row.revoked_at !== null) return { kind: 'unchanged', record: fromRow(row) }
        await change(id, { revoked_at: at })
        await record(audit)
        return { kind: 'written', record: fromRow({ ...row, revoked_at: at }) }
      }),

    touch: (id, at) =>
      write(async () => {
        await change(id, { last_used_at: at })
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
    read_only: Number(key.readOnly),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
  }
}

/** Of a key that reaches all tenants, the row names those that were deleted. */
function reachOf({ reaches_all, tenants }: ListedKey): Pick<ApiKey, 'reach' | 'except'> {
  const ids: string[] = JSON.parse(tenants)
  if (reaches_all === 0) return { reach: ids }
  return { reach: 'all', ...(ids.length > 0 && { except: ids }) }
}

function fromRow(row: ListedKey): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    last4: row.last4,
    ...reachOf(row),
    readOnly: row.read_only === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}
