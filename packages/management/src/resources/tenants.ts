import type { Send } from '../request.ts'
import type { Tenant } from '../types.ts'
import { zeros } from '../zero-values.ts'
import { createAccess, type Readable } from './resource.ts'

/** The tenants that the API key can reach. */
export type Tenants = Readable<Tenant>

export function createTenants(send: Send): Tenants {
  const { list, page, get, update } = createAccess<Tenant>(send, '/v1/tenants', zeros.Tenant)
  return { list, page, get, update }
}
