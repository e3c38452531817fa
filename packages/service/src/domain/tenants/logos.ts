import type { Micros, Tenant } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { auditingFields, commit } from '../writes/commit.ts'
import { refuseStale, type Scope, updated } from '../writes/context.ts'
import { notFound } from '../writes/errors.ts'
import { checkLogo } from './logo-image.ts'

/**
 * Replaces or removes the uploaded logo of a tenant. Of two requests at once, the later one wins.
 *
 * @param bytes - The image; `undefined` removes the logo.
 * @param readAt - The `updatedAt` of the version that the caller has edited. Default: any version.
 * @throws ServiceError `invalid_request` for an image that is refused, `conflict` when the tenant
 *   was changed since, `not_found` for the system tenant.
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

/**
 * The bytes of the tenant's logo; `undefined` if the tenant has no logo, or its logo has another
 * hash.
 */
export async function findLogo(
  { store }: Pick<Scope['context'], 'store'>,
  { id, logo }: Pick<Tenant, 'id' | 'logo'>,
  hash: string,
): Promise<Buffer | undefined> {
  if (logo?.hash !== hash) return undefined
  const stored = await store.tenants.logo(id)
  return stored?.hash === hash ? stored.bytes : undefined
}
