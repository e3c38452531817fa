import type { Alike, ApplicationStore } from '../../ports.ts'
import type { Application, Tenant } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable, inTenant } from '../table.ts'
import { fromRow as toTenant } from '../tenant-rows.ts'

/** Creates the {@link ApplicationStore} of an SQL database. */
export function createApplications(engine: Engine, addEntry: AddEntry): ApplicationStore {
  const table = createTable(engine, addEntry, {
    name: 'applications',
    key: ['tenant_id', 'id'],
    parent: inTenant,
    counter: applicationCounter,
    toRow,
    fromRow,
  })
  async function readTenant(id: string): Promise<Tenant | undefined> {
    const row = await engine.writer.first(sql<Row<'tenants'>>`select ${every('tenants')}
      from tenants where id = ${id} and deleted_at is null`)
    return row && toTenant(row)
  }
  async function readAlike(tenantId: string, alike: Alike | undefined): Promise<Application[]> {
    if (!alike) return []
    const { member, value } = alike
    // The text finds a few too many: `_` and `%` stand for other characters.
    const rows = await engine.writer.all(sql<Row<'applications'>>`select ${every('applications')}
      from applications where tenant_id = ${tenantId}
        and metadata like ${`%${JSON.stringify(member)}%`} order by id`)
    return rows.map(fromRow).filter(({ metadata }) => metadata[member] === value)
  }
  return {
    insert: (application, audit, check, alike) =>
      table.insert(application, audit, undefined, async () => {
        const tenant = check && (await readTenant(application.tenantId))
        if (tenant) check(tenant, await readAlike(tenant.id, alike))
        return !check || tenant !== undefined
      }),
    get: table.byId,
    list: (tenantId, page) => table.page([tenantId], page),
    update(tenantId, id, change, audit, alike) {
      let tenant: Tenant | undefined
      let found: Application[] = []
      const within = (current: Application) => (tenant ? change(current, tenant, found) : current)
      return table.update([tenantId, id], within, audit, undefined, async () => {
        tenant = await readTenant(tenantId)
        found = await readAlike(tenantId, alike)
        return tenant !== undefined
      })
    },
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

/** The name of the counter of a tenant's applications. */
export const applicationCounter = (tenantId: string) => `applications:${tenantId}`

function toRow(application: Application): Row<'applications'> {
  return {
    tenant_id: application.tenantId,
    id: application.id,
    name: application.name,
    sealed_secret: application.sealedSecret,
    earlier_secret: application.earlierSecret?.sealed ?? null,
    earlier_secret_until: application.earlierSecret?.until ?? null,
    login_url: application.loginUrl,
    logout_urls: JSON.stringify(application.logoutUrls),
    redirect_urls: JSON.stringify(application.redirectUrls),
    metadata: JSON.stringify(application.metadata),
    created_at: application.createdAt,
    updated_at: application.updatedAt,
  }
}

/** Makes the application from a row. */
export function fromRow(row: Row<'applications'>): Application {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    sealedSecret: row.sealed_secret,
    earlierSecret: earlierSecret(row),
    loginUrl: row.login_url,
    logoutUrls: JSON.parse(row.logout_urls),
    redirectUrls: JSON.parse(row.redirect_urls),
  }
}

function earlierSecret(row: Row<'applications'>): Application['earlierSecret'] {
  const { earlier_secret: sealed, earlier_secret_until: until } = row
  return sealed === null || until === null ? undefined : { sealed, until }
}
