import { NO_TENANT, type TenantStore } from '../../ports.ts'
import type { Application, Tenant } from '../../records.ts'
import { behindSystemTenant, SYSTEM_TENANT_ID } from '../../system-tenant.ts'
import { searchTenants } from '../../tenant-search.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable, listingOf } from '../table.ts'
import { fromRow, toRow } from '../tenant-rows.ts'
import { applicationCounter, fromRow as toApplication } from './applications.ts'
import { createHeldDomains } from './held-domains.ts'
import { createTenantLogos } from './tenant-logos.ts'
import { userCounter } from './users.ts'

type DeletedRow = Pick<Row<'tenants'>, 'id' | 'domain' | 'name'> & {
  deleted_at: number
  deleted_users: number | null
  value: number | null
}

/** Creates the {@link TenantStore} of an SQL database. */
export function createTenants(engine: Engine, addEntry: AddEntry): TenantStore {
  const { reader, writer, write, counters, json, lower } = engine
  const held = createHeldDomains(engine)
  const logos = createTenantLogos(engine)
  const table = createTable(engine, addEntry, {
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
      const reached = sql`from tenants
        where id in ${json.items(JSON.stringify(reach))} and deleted_at is null`
      // One statement, so that the total and the page are from the same moment.
      const rows = await reader.all(sql<Row<'tenants'> & { total: number }>`
        select total, ${every('tenants', 'page')}
        from (select count(*) as total ${reached}) as totals left join (
          select ${every('tenants')} ${reached} and id > ${after} order by id limit ${limit + 1}
        ) as page on true order by page.id`)
      return listingOf(rows, limit, fromRow)
    },
    search: (reach, search, page) =>
      searchTenants(search, page, async ({ column, after, before, limit }) => {
        // Domains are stored in lower case, so they need no expression.
        const key = column === 'name' ? lower('name') : sql`domain`
        const isReached =
          reach === 'all' ? sql`1 = 1` : sql`id in ${json.items(JSON.stringify(reach))}`
        const rows = await reader.all(sql<Row<'tenants'>>`select ${every('tenants')} from tenants
          where (${key}, id) > (${after.key}, ${after.id}) and ${key} < ${before}
            and id <> ${SYSTEM_TENANT_ID} and deleted_at is null and ${isReached}
          order by ${key}, id limit ${limit}`)
        return rows.map(fromRow)
      }),
    update(id, change, audit, { heldUntil, applicationsWith: key, logo } = {}) {
      let left = ''
      let next: Tenant | undefined
      let applications: Application[] = []
      const noteDomain = (current: Tenant) => {
        left = current.settings.domain
        next = change(current, applications)
        return next
      }
      async function writeFurther({ domain }: { domain?: unknown }): Promise<void> {
        if (logo) await logos.replace(id, next?.logo, logo.bytes)
        if (domain === left) return
        await held.remove(domain as string)
        if (heldUntil !== undefined) await held.hold(left, id, audit.at, heldUntil)
      }
      async function readApplications(): Promise<true> {
        if (key === undefined) return true
        const rows = await writer.all(sql<Row<'applications'>>`select ${every('applications')}
          from applications where tenant_id = ${id} and metadata like ${`%"${key}"%`} order by id`)
        applications = rows.map(toApplication).filter(({ metadata }) => key in metadata)
        return true
      }
      return table.update([id], noteDomain, audit, writeFurther, readApplications)
    },
    logo: logos.find,
    ...createDeletions(engine, addEntry, held),
    freeDomain: (domain, audit) =>
      write(async () => {
        if (!(await held.holderOf(domain, audit.at))) return { kind: 'missing' }
        await held.remove(domain)
        await addEntry(audit)
        return { kind: 'written', record: domain }
      }),
  }
}

/** Makes the methods that delete tenants and erase their rows step by step. */
function createDeletions(
  engine: Engine,
  addEntry: AddEntry,
  held: ReturnType<typeof createHeldDomains>,
): Pick<TenantStore, 'delete' | 'deletions' | 'erase'> {
  const { reader, writer, write, counters } = engine
  return {
    delete: (id, audit, heldUntil) =>
      write(async () => {
        const row = await writer.first(sql<Row<'tenants'>>`select ${every('tenants')} from tenants
          where id = ${id} and deleted_at is null`)
        if (!row) return { kind: 'missing' }
        const users = await writer.first(
          sql<{ value: number }>`select value from counters where scope = ${userCounter(id)}`,
        )
        await writer.run(sql`update tenants set domain = ${`${id}${BEFORE_DOMAIN}${row.domain}`},
          deleted_at = ${audit.at}, deleted_users = ${users?.value ?? 0} where id = ${id}`)
        await writer.run(sql`delete from api_key_tenants where tenant_id = ${id}`)
        await counters.add('tenants', -1)
        if (heldUntil !== undefined) await held.hold(row.domain, id, audit.at, heldUntil)
        // Makes other processes reload the API keys, because a key with the reach `all` lists the
        // deleted tenants.
        engine.concerns?.(NO_TENANT)
        await addEntry(audit)
        return { kind: 'written', record: fromRow(row) }
      }),

    async deletions() {
      const rows = await reader.all(sql<DeletedRow>`
        select id, domain, name, deleted_at, deleted_users, value
        from tenants left join counters on counters.scope = 'users:' || tenants.id
        where deleted_at is not null order by deleted_at, id`)
      return rows.map(({ id, domain, name, deleted_at, deleted_users, value }) => ({
        ...{ id, name, domain: domain.slice(id.length + BEFORE_DOMAIN.length) },
        deletedAt: deleted_at,
        users: deleted_users ?? 0,
        left: value ?? 0,
      }))
    },

    async erase(id, limit, audit) {
      const outcome = await write(async () => {
        const isDeleted = await writer.first(
          sql`select 1 from tenants where id = ${id} and deleted_at is not null`,
        )
        if (!isDeleted) return { kind: 'missing' } as const
        const erased = await writer.run(sql`delete from users where tenant_id = ${id}
          and id in (select id from users where tenant_id = ${id} limit ${limit})`)
        const hasMore = erased === limit
        if (hasMore) await counters.add(userCounter(id), -limit)
        else {
          // The few remaining rows are deleted with the tenant, because of their foreign keys.
          await writer.run(sql`delete from tenants where id = ${id}`)
          await counters.remove(countersOf(id))
          await addEntry(audit)
        }
        return { kind: 'written', hasMore } as const
      })
      return outcome.kind === 'written' && outcome.hasMore
    },
  }
}

/**
 * The separator between the id and the domain of a deleted tenant in the column `domain`. No host
 * contains a space.
 */
const BEFORE_DOMAIN = ' '

function countersOf(tenantId: string): string[] {
  return [applicationCounter(tenantId), userCounter(tenantId)]
}
