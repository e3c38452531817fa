import type { AuditFilter, AuditPage, AuditPart } from '../../store/audit-search.ts'
import type { StoredAuditEntry } from '../../store/records.ts'
import { getTenant } from '../tenants/tenants.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found } from '../writes/errors.ts'

/** Entries of a tenant, or with `undefined` those of the whole service, the newest first. */
export function searchAudit(
  { store }: DomainContext,
  tenantId: string | undefined,
  filter: AuditFilter,
  page: AuditPage,
): Promise<AuditPart> {
  return store.audit.search(tenantId, filter, page)
}

/** An entry of any tenant, or of the service itself. */
export function findAuditEntry(
  { store }: DomainContext,
  id: number,
): Promise<StoredAuditEntry | undefined> {
  return store.audit.get(undefined, id)
}

/**
 * Entries of a tenant, the newest first.
 *
 * @throws ServiceError `not_found` when there is no such tenant.
 */
export async function searchTenantAudit(
  scope: Scope,
  filter: AuditFilter,
  page: AuditPage,
): Promise<AuditPart> {
  const { store } = scope.context
  const [, part] = await Promise.all([
    getTenant(scope),
    store.audit.search(scope.tenantId, filter, page),
  ])
  return part
}

/** One entry of a tenant. */
export async function getAuditEntry(scope: Scope, id: number): Promise<StoredAuditEntry> {
  await getTenant(scope)
  return found(await scope.context.store.audit.get(scope.tenantId, id))
}
