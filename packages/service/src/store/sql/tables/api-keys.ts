import type { ApiKeyStore } from '../../ports.ts'
import type { ApiKey } from '../../records.ts'
import { SYSTEM_TENANT_ID } from '../../system-tenant.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { insertInto, sql } from '../sql.ts'
import type { AddEntry } from '../table.ts'
import { isUnconfirmed } from './restores.ts'

type ListedKey = Row<'api_keys'> & { tenants: string; unconfirmed: number }

/** Creates the {@link ApiKeyStore} of an SQL database. */
export function createApiKeys(engine: Engine, addEntry: AddEntry): ApiKeyStore {
  const { reader, writer, write, json } = engine
  const listed = sql`select ${every('api_keys')}, ${isUnconfirmed(sql`api_keys.id`)} as unconfirmed, case when reaches_all = 0 then (
      select ${json.arrayOf('tenant_id')} from api_key_tenants where key_id = api_keys.id
    ) else (select ${json.arrayOf('id')} from tenants where deleted_at is not null) end as tenants
    from api_keys`

  return {
    insert: (key, audit) =>
      write(async () => {
        const reach = key.reach === 'all' ? [] : key.reach
        for (const id of reach) {
          const isThere = sql`select 1 from tenants where id = ${id} and deleted_at is null`
          const exists = id !== SYSTEM_TENANT_ID && (await writer.first(isThere))
          if (!exists) return { kind: 'missing' }
        }
        const isTaken = sql`select 1 from api_keys where id = ${key.id}`
        if (await writer.first(isTaken)) return { kind: 'duplicate' }
        const row = toRow(key)
        await writer.run(insertInto('api_keys', Object.keys(row), Object.values(row)))
        for (const id of reach) {
          await writer.run(
            sql`insert into api_key_tenants (key_id, tenant_id) values (${key.id}, ${id})`,
          )
        }
        await addEntry(audit)
        return { kind: 'written', record: key }
      }),

    async findByHash(hash) {
      const row = await reader.first(sql<ListedKey>`${listed} where hash = ${hash}`)
      return row && fromRow(row)
    },

    list: async () =>
      (await reader.all(sql<ListedKey>`${listed} order by created_at, id`)).map(fromRow),

    revoke: (id, at, audit) =>
      write(async () => {
        const row = await writer.first(sql<ListedKey>`${listed} where id = ${id}`)
        if (!row) return { kind: 'missing' }
        if (row.revoked_at !== null) return { kind: 'unchanged', record: fromRow(row) }
        await writer.run(sql`update api_keys set revoked_at = ${at} where id = ${id}`)
        await addEntry(audit)
        return { kind: 'written', record: fromRow({ ...row, revoked_at: at }) }
      }),

    touch: (id, at) =>
      write(async () => {
        await writer.run(sql`update api_keys set last_used_at = ${at} where id = ${id}`)
      }),
  }
}

function toRow(key: ApiKey): Row<'api_keys'> {
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

/**
 * The tenants that a key can reach. For a key with the reach `all`, the column `tenants` lists the
 * deleted tenants.
 */
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
    ...(row.unconfirmed === 1 && { isUnconfirmed: true }),
  }
}
