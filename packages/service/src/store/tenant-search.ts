import type { Tenant } from './records.ts'
import {
  compareCursors,
  type Found,
  LAST,
  type SearchCursor,
  type SearchPage,
} from './user-search.ts'

/** The columns by which tenants are found. */
export type TenantColumn = 'domain' | 'name'

/** The tenants with keys that begin with a text, in the order of the key and the id. */
export interface TenantScan {
  column: TenantColumn
  /** Only tenants behind this place. */
  after: SearchCursor
  /** Only tenants before this key. */
  before: string
  limit: number
}

/** The key by which a tenant is found. Only ASCII letters are compared without case, as in the databases. */
export function tenantKey(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * Finds tenants by the beginning of the domain or the name: by two range scans, which are merged. A tenant
 * that both meet is found at the first of its places.
 *
 * @param scan - Answers with the tenants of a scan.
 */
export async function searchTenants(
  search: string,
  { after = { key: '', id: '' }, limit }: SearchPage,
  scan: (scan: TenantScan) => Promise<Tenant[]>,
): Promise<Found<Tenant>> {
  const prefix = tenantKey(search)
  const columns: TenantColumn[] = ['domain', 'name']
  const from = [after, { key: prefix, id: '' }].sort(compareCursors)[1] as SearchCursor
  const range = { after: from, before: `${prefix}${LAST}`, limit: limit + 1 }
  const scanned = await Promise.all(columns.map((column) => scan({ column, ...range })))
  const met = scanned.flatMap((tenants, i) =>
    tenants.map((tenant) => placeOf(tenant, columns[i] as TenantColumn)),
  )
  // Behind the end of a scan that was cut off, there may be tenants that are still to come.
  const ends = scanned.flatMap((tenants, i) => {
    const last = tenants.length > limit ? tenants.at(-1) : undefined
    return last ? [placeOf(last, columns[i] as TenantColumn)] : []
  })
  const horizon = ends.sort(compareCursors)[0]
  const items: Tenant[] = []
  let place: SearchCursor = from
  for (const { key, id, column, tenant } of met.sort(compareCursors)) {
    if (horizon && compareCursors({ key, id }, horizon) > 0) break
    const isWanted = column === firstColumn(tenant, prefix)
    if (isWanted && items.length === limit) return { items, next: place }
    place = { key, id }
    if (isWanted) items.push(tenant)
  }
  return { items, next: horizon && place }
}

function keyOf({ name, settings }: Tenant, column: TenantColumn): string {
  return tenantKey(column === 'name' ? name : settings.domain)
}

function placeOf(tenant: Tenant, column: TenantColumn) {
  return { key: keyOf(tenant, column), id: tenant.id, column, tenant }
}

/** The column at whose place a tenant is found. */
function firstColumn(tenant: Tenant, prefix: string): TenantColumn {
  const [domain, name] = [keyOf(tenant, 'domain'), keyOf(tenant, 'name')]
  if (!domain.startsWith(prefix)) return 'name'
  if (!name.startsWith(prefix)) return 'domain'
  return compareCursors({ key: domain, id: '' }, { key: name, id: '' }) <= 0 ? 'domain' : 'name'
}
