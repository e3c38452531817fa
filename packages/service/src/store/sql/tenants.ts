import { sql } from 'kysely'
import { NO_TENANT, type TenantStore } from '../ports.ts'
import type { Tenant } from '../records.ts'
import { behindSystemTenant, SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { searchTenants } from '../tenant-search.ts'
import { applicationCounter } from './applications.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { createHeldDomains } from './held-domains.ts'
import { prepared, type Row } from './prepared.ts'
import type { TenantRow } from './schema.ts'
import { createTable, listingOf } from './table.ts'
import { userCounter } from './users.ts'

/** The tenants of an SQL store. */
export function createTenants(engine: Engine, record: Record): TenantStore {
  const { reader, writer, write, counters, json, lower } = engine
  const held = createHeldDomains(engine)
  const table = createTable<Tenant>(engine, record, {
    name: 'tenants',
    key: ['id'],
    unique: ['domain'],
    hidden: 'deleted_at',
    counter: (id) => (id === SYSTEM_TENANT_ID ? undefined : 'tenants'),
    async isRefused({ id, domain }, before, audit) {
      if (before?.domain === domain) return false
      const holder = await held.holderOf(domain as string, audit.at)
      if (!holder) return false
      return before ? holder.tenantId !== id : holder.exists
    },
    toRow,
    fromRow,
  })
  // One statement, so that the total and the page are of one moment.
  const pageOfSome = prepared(reader, 3, (ids: string, after: string, limit: number) => {
    const reached = reader
      .selectFrom('tenants')
      .where('id', 'in', json.items(ids))
      .where('deleted_at', 'is', null)
    return reader
      .selectFrom(reached.select((eb) => eb.fn.countAll<number>().as('total')).as('totals'))
      .leftJoin(
        reached
          .select(columns.tenants)
          .where('id', '>', after)
          .orderBy('id')
          .limit(limit)
          .as('page'),
        (join) => join.onTrue(),
      )
      .select('total')
      .select(columns.tenants.map((column) => `page.${column}` as const))
      .orderBy('page.id')
  })

  return {
    insert: (tenant, audit) =>
      table.insert(tenant, audit, async () => {
        await held.remove(tenant.settings.domain)
        await counters.create(countersOf(tenant.id))
      }),
    get: table.byId,
    findByDomain: table.byUnique,
    async list(reach, { after: last, limit }) {
      const after = behindSystemTenant(last)
      if (reach === 'all')
        return (await table.page([], { after, limit })) ?? { total: 0, items: [], more: false }
      const rows = await pageOfSome(JSON.stringify(reach), after, limit + 1)
      return listingOf(rows as (Row & { total: number })[], limit, (row) =>
        fromRow(row as unknown as TenantRow),
      )
    },
    search: (reach, search, page) =>
      searchTenants(search, page, async ({ column, after, before, limit }) => {
        // A domain is stored in lower case.
        const key = column === 'name' ? lower('name') : sql<string>`domain`
        const rows = await reader
          .selectFrom('tenants')
          .select(columns.tenants)
          .where(sql<boolean>`(${key}, id) > (${after.key}, ${after.id})`)
          .where(sql<boolean>`${key} < ${before}`)
          .where('id', '<>', SYSTEM_TENANT_ID)
          .where('deleted_at', 'is', null)
          .$if(reach !== 'all', (query) =>
            query.where('id', 'in', json.items(JSON.stringify(reach))),
          )
          .orderBy(key)
          .orderBy('id')
          .limit(limit)
          .execute()
        return rows.map(fromRow)
      }),
    update(id, change, audit, heldUntil) {
      let left = ''
      const noteDomain = (current: Tenant) => {
        left = current.settings.domain
        return change(current)
      }
      return table.update([id], noteDomain, audit, async ({ domain }) => {
        if (domain === left) return
        await held.remove(domain as string)
        if (heldUntil !== undefined) await held.hold(left, id, audit.at, heldUntil)
      })
    },
    delete: (id, audit, heldUntil) =>
      write(async () => {
        const tenant = writer.selectFrom('tenants').select(columns.tenants).where('id', '=', id)
        const row = await tenant.where('deleted_at', 'is', null).executeTakeFirst()
        if (!row) return { kind: 'missing' }
        const counted = writer.selectFrom('counters').select('value')
        const users = await counted.where('scope', '=', userCounter(id)).executeTakeFirst()
        await writer
          .updateTable('tenants')
          .set({
            domain: `${id}${BEFORE_DOMAIN}${row.domain}`,
            deleted_at: audit.at,
            deleted_users: users?.value ?? 0,
          })
          .where('id', '=', id)
          .execute()
        await writer.deleteFrom('api_key_tenants').where('tenant_id', '=', id).execute()
        await counters.add('tenants', -1)
        if (heldUntil !== undefined) await held.hold(row.domain, id, audit.at, heldUntil)
        // API keys that reach all tenants are read with those that were deleted.
        engine.concerns?.(NO_TENANT)
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),

    async deletions() {
      const rows = await reader
        .selectFrom('tenants')
        .leftJoin('counters', (join) =>
          join.on('counters.scope', '=', sql<string>`'users:' || tenants.id`),
        )
        .select(['id', 'domain', 'name', 'deleted_at', 'deleted_users', 'value'])
        .where('deleted_at', 'is not', null)
        .orderBy('deleted_at')
        .orderBy('id')
        .execute()
      return rows.map(({ id, domain, name, deleted_at, deleted_users, value }) => ({
        ...{ id, name, domain: domain.slice(id.length + BEFORE_DOMAIN.length) },
        deletedAt: deleted_at ?? 0,
        users: deleted_users ?? 0,
        left: value ?? 0,
      }))
    },

    async erase(id, limit, audit) {
      const outcome = await write(async () => {
        const tenant = writer.selectFrom('tenants').select('id').where('id', '=', id)
        const isDeleted = await tenant.where('deleted_at', 'is not', null).executeTakeFirst()
        if (!isDeleted) return { kind: 'missing' } as const
        const some = writer
          .selectFrom('users')
          .select('id')
          .where('tenant_id', '=', id)
          .limit(limit)
        const { numDeletedRows } = await writer
          .deleteFrom('users')
          .where('tenant_id', '=', id)
          .where('id', 'in', some)
          .executeTakeFirstOrThrow()
        const hasMore = Number(numDeletedRows) === limit
        if (hasMore) await counters.add(userCounter(id), -limit)
        else {
          // The few rows that are left below it go by the references to it.
          await writer.deleteFrom('tenants').where('id', '=', id).execute()
          await counters.remove(countersOf(id))
          await record(audit)
        }
        return { kind: 'written', hasMore } as const
      })
      return outcome.kind === 'written' && outcome.hasMore
    },
    freeDomain: (domain, audit) =>
      write(async () => {
        if (!(await held.holderOf(domain, audit.at))) return { kind: 'missing' }
        await held.remove(domain)
        await record(audit)
        return { kind: 'written', record: domain }
      }),
  }
}

/** Stands between the id and the domain of a deleted tenant. No host has a space in it. */
const BEFORE_DOMAIN = ' '

function countersOf(tenantId: string): string[] {
  return [applicationCounter(tenantId), userCounter(tenantId)]
}

function toRow(tenant: Tenant): TenantRow {
  const { domain, ...settings } = tenant.settings
  return {
    id: tenant.id,
    domain,
    name: tenant.name,
    settings: JSON.stringify(settings),
    metadata: JSON.stringify(tenant.metadata),
    created_at: tenant.createdAt,
    updated_at: tenant.updatedAt,
  }
}

function fromRow(row: TenantRow): Tenant {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    settings: { ...JSON.parse(row.settings), domain: row.domain },
  }
}
