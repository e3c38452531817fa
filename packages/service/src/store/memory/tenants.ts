import type { TenantStore } from '../ports.ts'
import type { Tenant } from '../records.ts'
import { createSortedMap } from './sorted-map.ts'
import { listPage, type MemoryState } from './state.ts'

/** The tenants of a memory store. */
export function createTenants(state: MemoryState): TenantStore {
  const { tenants, tenantIdByDomain, apiKeys, written, copy } = state
  return {
    async insert(tenant, audit) {
      const { domain } = tenant.settings
      if (tenantIdByDomain.has(domain)) return { kind: 'duplicate' }
      tenantIdByDomain.set(domain, tenant.id)
      tenants.set(tenant.id, {
        tenant: copy(tenant),
        applications: createSortedMap(),
        users: createSortedMap(),
        userIdByEmail: new Map(),
        signingKeys: [],
      })
      return written(tenant, audit)
    },

    async get(id) {
      return copy(tenants.get(id)?.tenant)
    },

    async findByDomain(domain) {
      const id = tenantIdByDomain.get(domain)
      return id === undefined ? undefined : copy(tenants.get(id)?.tenant)
    },

    async list(reach, page) {
      if (reach === 'all') return listPage(tenants, page, ({ tenant }) => copy(tenant))
      const reached = createSortedMap<Tenant>()
      for (const id of reach) {
        const held = tenants.get(id)
        if (held) reached.set(id, held.tenant)
      }
      return listPage(reached, page, copy)
    },

    async update(id, change, audit) {
      const held = tenants.get(id)
      if (!held) return { kind: 'missing' }
      const before = held.tenant
      const given = copy(before)
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      const owner = tenantIdByDomain.get(after.settings.domain)
      if (owner !== undefined && owner !== id) return { kind: 'duplicate' }
      tenantIdByDomain.delete(before.settings.domain)
      tenantIdByDomain.set(after.settings.domain, id)
      held.tenant = copy(after)
      return written(after, audit)
    },

    async delete(id, audit) {
      const held = tenants.get(id)
      if (!held) return { kind: 'missing' }
      tenants.delete(id)
      tenantIdByDomain.delete(held.tenant.settings.domain)
      for (const key of apiKeys.values()) {
        if (key.reach !== 'all') key.reach = key.reach.filter((reached) => reached !== id)
      }
      return written(held.tenant, audit)
    },
  }
}
