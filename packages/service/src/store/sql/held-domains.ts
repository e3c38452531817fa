import { MAX_HELD_DOMAINS } from '../ports.ts'
import type { Micros } from '../records.ts'
import type { Engine } from './engine.ts'

/** The domains that are held for the tenants that gave them up. Only inside {@link Engine.write}. */
export function createHeldDomains({ writer }: Pick<Engine, 'writer'>) {
  async function remove(domain: string): Promise<void> {
    await writer.deleteFrom('held_domains').where('domain', '=', domain).execute()
  }

  return {
    remove,

    /** The tenant for which a domain is reserved, and whether that tenant still exists. */
    async holderOf(
      domain: string,
      now: Micros,
    ): Promise<{ tenantId: string; exists: boolean } | undefined> {
      const hold = await writer
        .selectFrom('held_domains')
        .leftJoin('tenants', (join) =>
          join
            .onRef('tenants.id', '=', 'held_domains.tenant_id')
            .on('tenants.deleted_at', 'is', null),
        )
        .select(['held_domains.tenant_id', 'tenants.id'])
        .where('held_domains.domain', '=', domain)
        .where('held_domains.until', '>', now)
        .executeTakeFirst()
      return hold && { tenantId: hold.tenant_id, exists: hold.id !== null }
    },

    async hold(domain: string, tenantId: string, now: Micros, until: Micros): Promise<void> {
      await remove(domain)
      await writer
        .insertInto('held_domains')
        .values({ domain, tenant_id: tenantId, until })
        .execute()
      await writer.deleteFrom('held_domains').where('until', '<=', now).execute()
      const own = await writer
        .selectFrom('held_domains')
        .select('domain')
        .where('tenant_id', '=', tenantId)
        .orderBy('until', 'desc')
        .execute()
      for (const { domain } of own.slice(MAX_HELD_DOMAINS)) await remove(domain)
    },
  }
}
