import { storedSettings } from '../../resources/tenant-settings.ts'
import type { Tenant } from '../records.ts'
import type { Row } from './schema.ts'

/** Makes the row of a tenant. */
export function toRow(tenant: Tenant): Row<'tenants'> {
  const { domain, ...settings } = tenant.settings
  return {
    id: tenant.id,
    domain,
    name: tenant.name,
    settings: JSON.stringify({
      ...settings,
      ...{ endedHosts: tenant.endedHosts, texts: tenant.texts, logo: tenant.logo },
    }),
    metadata: JSON.stringify(tenant.metadata),
    created_at: tenant.createdAt,
    updated_at: tenant.updatedAt,
  }
}

/** Makes the tenant from a row. */
export function fromRow(row: Row<'tenants'>): Tenant {
  const { endedHosts, texts, logo, ...settings } = JSON.parse(row.settings)
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    settings: storedSettings(row.domain, settings),
    ...(endedHosts && { endedHosts }),
    ...(texts && { texts }),
    ...(logo && { logo }),
  }
}
