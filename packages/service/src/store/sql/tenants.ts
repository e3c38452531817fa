import type { TenantStore } from '../ports.ts'
import type { Tenant } from '../records.ts'
import { applicationCounter } from './applications.ts'
import type { Record } from './audit.ts'
import type { Engine } from './engine.ts'
import { prepared, type Row } from './prepared.ts'
import type { TenantRow } from './schema.ts'
import { createTable, listingOf } from './table.ts'
import { userCounter } from './users.ts'

/** The tenants of an SQL store. */
export function createTenants(engine: Engine, record: Record): TenantStore {
  const { reader, writer, json } = engine
  const table = createTable<Tenant>(engine, record, {
    name: 'tenants',
    key: ['id'],
    unique: ['domain'],
    counter: () => 'tenants',
    toRow,
    fromRow,
  })
  // One statement, so that the total and the page are of one moment.
  const pageOfSome = prepared(reader, 3, (ids: string, after: string, limit: number) => {
    const reached = reader.selectFrom('tenants').where('id', 'in', json.items(ids))
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

  return {
    // A list that is empty has a counter, one that does not exist has none.
    insert: (tenant, audit) =>
      table.insert(tenant, audit, () =>
        writer
          .insertInto('counters')
          .values(countersOf(tenant.id).map((scope) => ({ scope, value: 0 })))
          .execute(),
      ),
    get: table.byId,
    findByDomain: table.byUnique,
    async list(reach, page) {
      if (reach === 'all')
        return (await table.page([], page)) ?? { total: 0, items: [], more: false }
      const { after = '', limit } = page
      const rows = await pageOfSome(JSON.stringify(reach), after, limit + 1)
      return listingOf(rows as (Row & { total: number })[], limit, (row) =>
        fromRow(row as unknown as TenantRow),
      )
    },
    update: (id, change, audit) => table.update([id], change, audit),
    delete: (id, audit) =>
      table.delete([id], audit, () =>
        writer.deleteFrom('counters').where('scope', 'in', countersOf(id)).execute(),
      ),
  }
}

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
