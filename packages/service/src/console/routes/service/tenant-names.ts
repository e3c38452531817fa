import { listTenants } from '../../../domain/tenants/tenants.ts'
import type { ServiceScope } from '../../../domain/writes/context.ts'
import type { Reach } from '../../../store/records.ts'
import type { NamedTenant } from '../../pages/index.ts'

/**
 * Reads the names of the tenants in several reaches, with one query. Resolves to a function that
 * names the tenants of one reach. The reach `all` has none.
 */
export async function tenantNames(
  scope: ServiceScope,
  reaches: readonly Reach[],
): Promise<(reach: Reach) => NamedTenant[]> {
  const ids = [...new Set(reaches.flatMap((reach) => (reach === 'all' ? [] : reach)))]
  const { items } =
    ids.length === 0
      ? { items: [] }
      : await listTenants(scope, ids, { after: undefined, limit: ids.length })
  const named = new Map(
    items.map(({ id, name, settings: { domain } }) => [id, { id, name: name || domain, domain }]),
  )
  return (reach) => (reach === 'all' ? [] : reach.map((id) => named.get(id) ?? { id, name: id }))
}
