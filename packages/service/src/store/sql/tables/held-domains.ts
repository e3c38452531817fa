import { MAX_HELD_DOMAINS } from '../../ports.ts'
import type { Micros } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { sql } from '../sql.ts'

/**
 * Makes the methods for domains that are reserved for the tenants that gave them up. Call them only
 * inside {@link Engine.write}.
 */
export function createHeldDomains({ writer }: Pick<Engine, 'writer'>) {
  async function remove(domain: string): Promise<void> {
    await writer.run(sql`delete from held_domains where domain = ${domain}`)
  }

  return {
    remove,

    /**
     * The tenant for which a domain is reserved at `now`, and whether that tenant still exists.
     * `undefined` if the domain is not reserved.
     */
    async holderOf(
      domain: string,
      now: Micros,
    ): Promise<{ tenantId: string; exists: boolean } | undefined> {
      const hold = await writer.first(sql<{ tenant_id: string; id: string | null }>`
        select held_domains.tenant_id, tenants.id from held_domains
        left join tenants on tenants.id = held_domains.tenant_id and tenants.deleted_at is null
        where held_domains.domain = ${domain} and held_domains.until > ${now}`)
      return hold && { tenantId: hold.tenant_id, exists: hold.id !== null }
    },

    /**
     * Reserves a domain for a tenant until `until`. Deletes reservations that have ended, and
     * reservations of the tenant above {@link MAX_HELD_DOMAINS}.
     */
    async hold(domain: string, tenantId: string, now: Micros, until: Micros): Promise<void> {
      await remove(domain)
      await writer.run(sql`insert into held_domains (domain, tenant_id, until)
        values (${domain}, ${tenantId}, ${until})`)
      await writer.run(sql`delete from held_domains where until <= ${now}`)
      const own = await writer.all(sql<{ domain: string }>`select domain from held_domains
        where tenant_id = ${tenantId} order by until desc`)
      for (const { domain } of own.slice(MAX_HELD_DOMAINS)) await remove(domain)
    },
  }
}
