import { sql } from 'kysely'
import type { Page, TenantStore } from '../ports.ts'
import type { Reach, Tenant } from '../records.ts'
import { listingOf } from './listing.ts'
import { prepared } from './prepared.ts'
import type { TenantRow } from './schema.ts'
import type { Tables } from './tables.ts'

/** The counter of all tenants. */
const SCOPE = 'tenants'

/** The tenants of a SQLite store. */
export function createTenants({ reader, writer, write, record, count }: Tables): TenantStore {
  const byId = prepared(reader, 1, (id: string) =>
    reader.selectFrom('tenants').selectAll().where('id', '=', id),
  )
  const byDomain = prepared(reader, 1, (domain: string) =>
    reader.selectFrom('tenants').selectAll().where('domain', '=', domain),
  )
  const pageOfAll = prepared(reader, 2, (after: string, limit: number) =>
    reader
      .selectFrom(
        reader
          .selectFrom('counters')
          .where('scope', '=', SCOPE)
          .select((eb) => eb.fn.coalesce(eb.fn.max('value'), sql<number>`0`).as('total'))
          .as('totals'),
      )
      .leftJoin(
        reader
          .selectFrom('tenants')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(limit)
          .as('page'),
        (join) => join.onTrue(),
      )
      .select('total')
      .selectAll('page')
      .orderBy('page.id'),
  )
  const pageOfSome = prepared(reader, 3, (ids: string, after: string, limit: number) => {
    const reached = reader
      .selectFrom('tenants')
      .where('id', 'in', sql<string>`(select value from json_each(${ids}))`)
    return reader
      .selectFrom(reached.select((eb) => eb.fn.countAll<number>().as('total')).as('totals'))
      .leftJoin(
        reached.selectAll().where('id', '>', after).orderBy('id').limit(limit).as('page'),
        (join) => join.onTrue(),
      )
      .select('total')
      .selectAll('page')
      .orderBy('page.id')
  })

  const current = prepared(writer, 1, (id: string) =>
    writer.selectFrom('tenants').selectAll().where('id', '=', id),
  )

  async function isTaken(domain: string, exceptId: string): Promise<boolean> {
    const owner = await writer
      .selectFrom('tenants')
      .select('id')
      .where('domain', '=', domain)
      .executeTakeFirst()
    return owner !== undefined && owner.id !== exceptId
  }

  return {
    insert: (tenant, audit) =>
      write(async () => {
        if (await isTaken(tenant.settings.domain, tenant.id)) return { kind: 'duplicate' }
        await writer.insertInto('tenants').values(toRow(tenant)).execute()
        await count(SCOPE, 1)
        await count(`applications:${tenant.id}`, 0)
        await count(`users:${tenant.id}`, 0)
        await record(audit)
        return { kind: 'written', record: tenant }
      }),

    async get(id) {
      const [row] = await byId(id)
      return row && fromRow(row)
    },

    async findByDomain(domain) {
      const [row] = await byDomain(domain)
      return row && fromRow(row)
    },

    async list(reach: Reach, page: Page) {
      const after = page.after ?? ''
      const limit = page.limit + 1
      const rows =
        reach === 'all'
          ? await pageOfAll(after, limit)
          : await pageOfSome(JSON.stringify(reach), after, limit)
      return listingOf(rows, page.limit, fromRow)
    },

    update: (id, change, audit) =>
      write(async () => {
        const [row] = await current(id)
        if (!row) return { kind: 'missing' }
        const before = fromRow(row)
        const after = change(before)
        if (after === before) return { kind: 'unchanged', record: after }
        if (await isTaken(after.settings.domain, id)) return { kind: 'duplicate' }
        await writer.updateTable('tenants').set(toRow(after)).where('id', '=', id).execute()
        await record(audit)
        return { kind: 'written', record: after }
      }),

    delete: (id, audit) =>
      write(async () => {
        const [row] = await current(id)
        if (!row) return { kind: 'missing' }
        await writer.deleteFrom('tenants').where('id', '=', id).execute()
        await writer
          .deleteFrom('counters')
          .where('scope', 'in', [`applications:${id}`, `users:${id}`])
          .execute()
        await count(SCOPE, -1)
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
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
