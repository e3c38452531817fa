import type { Micros, Tenant } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { auditingFields, commit } from '../writes/commit.ts'
import { refuseStale, type Scope, updated } from '../writes/context.ts'
import { notFound } from '../writes/errors.ts'
import { checkLogo } from './logo-image.ts'

/**
 * Replaces the uploaded logo of a tenant, or takes it away. Of two at once, the later one stays.
 *
 * @param bytes - The image; `undefined` takes the logo away.
 * @param readAt - The `updatedAt` of the tenant that the caller has changed. Default: any.
 * @throws ServiceError `invalid_request` for an image that is refused, `conflict` when the tenant was changed since.
 */
export async function setLogo(
  scope: Scope,
  bytes: Buffer | undefined,
  readAt?: Micros,
): Promise<Tenant> {
  const { context, tenantId } = scope
  if (tenantId === SYSTEM_TENANT_ID) throw notFound()
  const logo = bytes && checkLogo(bytes)
  function replace(last: Tenant): Tenant {
    refuseStale(last, readAt)
    if (last.logo?.hash === logo?.hash) return last
    return updated(context, last, { logo })
  }
  return commit(scope, 'tenant.update', tenantId, (audit) =>
    context.store.tenants.update(tenantId, auditingFields(audit, replace), audit, {
      logo: { bytes },
    }),
  )
}

/** The bytes of the logo with that hash, if the tenant has it now. */
export async function findLogo(
  { store }: Pick<Scope['context'], 'store'>,
  { id, logo }: Pick<Tenant, 'id' | 'logo'>,
  hash: string,
): Promise<Buffer | undefined> {
  if (logo?.hash !== hash) return undefined
  const stored = await store.tenants.logo(id)
  return stored?.hash === hash ? stored.bytes : undefined
}
