import type { StoredLogo } from '../../ports.ts'
import type { TenantLogo } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'

/**
 * Makes the methods for the images of tenants. Images have a table of their own, because each
 * request reads its tenant, but not the image.
 */
export function createTenantLogos({ reader, writer }: Engine) {
  return {
    async find(tenantId: string): Promise<StoredLogo | undefined> {
      const row = await reader.first(sql<Row<'tenant_logos'>>`select ${every('tenant_logos')}
        from tenant_logos where tenant_id = ${tenantId}`)
      return row && { hash: row.hash, bytes: Buffer.from(row.image, 'base64') }
    },
    /**
     * Replaces the image of a tenant, inside {@link Engine.write}. Without `logo` or `bytes`,
     * deletes the image.
     */
    async replace(
      tenantId: string,
      logo: TenantLogo | undefined,
      bytes: Buffer | undefined,
    ): Promise<void> {
      await writer.run(sql`delete from tenant_logos where tenant_id = ${tenantId}`)
      if (!logo || !bytes) return
      await writer.run(sql`insert into tenant_logos (tenant_id, hash, image)
        values (${tenantId}, ${logo.hash}, ${bytes.toString('base64')})`)
    },
  }
}
