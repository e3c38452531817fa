import type { Tenant } from './records.ts'
import {
  compareCursors,
  type Found,
  LAST,
  type SearchCursor,
  type SearchPage,
} from './user-search.ts'

/** The columns that a search for tenants compares. */
export type TenantColumn = 'domain' | 'name'

/** A range of tenants whose key begins with a text, in the order of key and id. */
export interface TenantScan {
  column: TenantColumn
  /** The position after which the range begins. */
  after: SearchCursor
  /** The key before which the range ends. */
  before: string
  limit: number
}

/**
 * The form in which domains and names are compared. ASCII letters are in lower case, as in the
 * indexes of the databases.
 */
export function tenantKey(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * Finds tenants whose domain or name begins with a text, by two range scans that are merged. A
 * tenant in both ranges is listed once, at the first of its positions.
 *
 * @param scan - Reads the tenants of a range.
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
  // A scan that reached its limit may find more tenants after its end, so results beyond this end
  // are not used yet.
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

/** The column by which the search finds a tenant first. */
function firstColumn(tenant: Tenant, prefix: string): TenantColumn {
  const [domain, name] = [keyOf(tenant, 'domain'), keyOf(tenant, 'name')]
  if (!domain.startsWith(prefix)) return 'name'
  if (!name.startsWith(prefix)) return 'domain'
  return compareCursors({ key: domain, id: '' }, { key: name, id: '' }) <= 0 ? 'domain' : 'name'
}
