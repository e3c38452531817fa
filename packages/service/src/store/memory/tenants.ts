import { MAX_HELD_DOMAINS, type TenantStore } from '../ports.ts'
import type { Micros, Tenant } from '../records.ts'
import { behindSystemTenant, SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { searchTenants, tenantKey } from '../tenant-search.ts'
import { compareCursors, compareText } from '../user-search.ts'
import { createSortedMap } from './sorted-map.ts'
import { listPage, type MemoryState } from './state.ts'

/** The tenants of a memory store. */
export function createTenants(state: MemoryState): TenantStore {
  const { tenants, tenantIdByDomain, heldDomains, apiKeys, written, copy } = state

  function holderOf(domain: string, now: Micros): string | undefined {
    const hold = heldDomains.get(domain)
    return hold && hold.until > now ? hold.tenantId : undefined
  }

  /** Notes that the tenant left the domain `left` for `taken`. */
  function moveHolds(tenantId: string, left: string, taken?: string, until?: Micros): void {
    if (taken !== undefined) heldDomains.delete(taken)
    heldDomains.delete(left)
    if (until === undefined) return
    heldDomains.set(left, { tenantId, until })
    const own = [...heldDomains].filter(([, hold]) => hold.tenantId === tenantId)
    for (const [domain] of own.slice(0, -MAX_HELD_DOMAINS)) heldDomains.delete(domain)
  }

  return {
    async insert(tenant, audit) {
      const { domain } = tenant.settings
      const holder = holderOf(domain, audit.at)
      const isHeld = holder !== undefined && tenants.get(holder) !== undefined
      if (isHeld || tenantIdByDomain.has(domain)) return { kind: 'duplicate' }
      heldDomains.delete(domain)
      tenantIdByDomain.set(domain, tenant.id)
      tenants.set(tenant.id, {
        tenant: copy(tenant),
        applications: createSortedMap(),
        users: createSortedMap(),
        userIdByEmail: new Map(),
        userIdBySocial: new Map(),
        signingKeys: [],
        connections: createSortedMap(),
        operators: new Map(),
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
      if (reach === 'all') {
        const after = behindSystemTenant(page.after)
        const listing = listPage(tenants, { ...page, after }, ({ tenant }) => copy(tenant))
        return {
          ...listing,
          total: listing.total - Number(tenants.get(SYSTEM_TENANT_ID) !== undefined),
        }
      }
      const reached = createSortedMap<Tenant>()
      for (const id of reach) {
        const held = tenants.get(id)
        if (held && id !== SYSTEM_TENANT_ID) reached.set(id, held.tenant)
      }
      return listPage(reached, page, copy)
    },

    search: (reach, search, page) =>
      searchTenants(search, page, async ({ column, after, before, limit }) => {
        const keyOf = ({ name, settings }: Tenant) =>
          tenantKey(column === 'name' ? name : settings.domain)
        return [...tenants.values()]
          .map(({ tenant }) => ({ key: keyOf(tenant), id: tenant.id, tenant }))
          .filter(({ id }) => id !== SYSTEM_TENANT_ID && (reach === 'all' || reach.includes(id)))
          .filter((one) => compareCursors(one, after) > 0 && compareText(one.key, before) < 0)
          .sort(compareCursors)
          .slice(0, limit)
          .map(({ tenant }) => copy(tenant))
      }),

    async update(id, change, audit, heldUntil) {
      const held = tenants.get(id)
      if (!held) return { kind: 'missing' }
      const before = held.tenant
      const given = copy(before)
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      const { domain: left } = before.settings
      const { domain: taken } = after.settings
      if (taken !== left) {
        const holder = holderOf(taken, audit.at) ?? id
        if (holder !== id || tenantIdByDomain.has(taken)) return { kind: 'duplicate' }
        tenantIdByDomain.delete(left)
        tenantIdByDomain.set(taken, id)
        moveHolds(id, left, taken, heldUntil)
      }
      held.tenant = copy(after)
      return written(after, audit)
    },

    async delete(id, audit, heldUntil) {
      const held = tenants.get(id)
      if (!held) return { kind: 'missing' }
      tenants.delete(id)
      const { domain } = held.tenant.settings
      tenantIdByDomain.delete(domain)
      moveHolds(id, domain, undefined, heldUntil)
      for (const key of apiKeys.values()) {
        if (key.reach !== 'all') key.reach = key.reach.filter((reached) => reached !== id)
      }
      return written(held.tenant, audit)
    },

    // The rows are gone with the reference to them.
    deletions: async () => [],
    erase: async () => false,

    async freeDomain(domain, audit) {
      if (holderOf(domain, audit.at) === undefined) return { kind: 'missing' }
      heldDomains.delete(domain)
      return written(domain, audit)
    },
  }
}
