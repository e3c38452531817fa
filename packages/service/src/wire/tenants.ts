import type { TenantInput } from '../domain/tenants/tenants.ts'
import { bodyOfSettings, settingsOf } from '../resources/tenant-settings.ts'
import type { Tenant } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { TenantBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** Makes the input for a tenant from a request body. */
export function tenantInput({ name, metadata, settings }: TenantBody): TenantInput {
  return { name, metadata, settings: settingsOf(settings) }
}

/** Makes the response body for a tenant. */
export function serializeTenant({ settings, ...tenant }: Tenant): object {
  return omitZero({
    type: 'Tenant',
    id: tenant.id,
    name: tenant.name,
    created_at: formatTimestamp(tenant.createdAt),
    updated_at: formatTimestamp(tenant.updatedAt),
    metadata: tenant.metadata,
    settings: omitZero({ ...bodyOfSettings(settings) }),
  })
}
