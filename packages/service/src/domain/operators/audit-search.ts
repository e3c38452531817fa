import type { AuditFilter, AuditPage, AuditPart } from '../../store/audit-search.ts'
import { emailKey } from '../../store/email-key.ts'
import type { StoredAuditEntry } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { getTenant } from '../tenants/tenants.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found } from '../writes/errors.ts'

/** Which entries, as a person asks for them. */
export interface AuditQuestion extends Omit<AuditFilter, 'actors'> {
  /**
   * As in entries, such as `user:usr_…`; or only the id; or the address of a user or an operator.
   */
  actor?: string | undefined
}

/** Entries of a tenant, or with `undefined` those of the whole service, the newest first. */
export async function searchAudit(
  { store }: DomainContext,
  tenantId: string | undefined,
  { actor, ...filter }: AuditQuestion,
  page: AuditPage,
): Promise<AuditPart> {
  if (actor === undefined) return store.audit.search(tenantId, filter, page)
  const tenants = tenantId === undefined ? [SYSTEM_TENANT_ID] : [SYSTEM_TENANT_ID, tenantId]
  return searchBy(store, tenantId, await actorsOf(store, tenants, actor), filter, page)
}

async function searchBy(
  store: DomainContext['store'],
  tenantId: string | undefined,
  actors: readonly string[],
  filter: AuditFilter,
  page: AuditPage,
): Promise<AuditPart> {
  if (actors.length === 0) return { items: [], next: undefined }
  return store.audit.search(tenantId, { ...filter, actors }, page)
}

/** The actors that a search text means. An address may be that of a user of any of the tenants. */
async function actorsOf(
  { users }: DomainContext['store'],
  tenantIds: readonly string[],
  text: string,
): Promise<string[]> {
  if (text.includes('@')) {
    const key = emailKey(text)
    const found = await Promise.all(tenantIds.map((id) => users.findByEmail(id, key)))
    return found.flatMap((user) => (user ? asUser(user.id) : []))
  }
  if (text.startsWith('usr_')) return asUser(text)
  return [text.startsWith('key_') ? `key:${text}` : text]
}

const asUser = (id: string): string[] => [`operator:${id}`, `user:${id}`]

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
  { actor, ...filter }: AuditQuestion,
  page: AuditPage,
): Promise<AuditPart> {
  const { store } = scope.context
  const search = async () =>
    actor === undefined
      ? store.audit.search(scope.tenantId, filter, page)
      : // No address of an operator is found here: the API knows nothing of the system tenant.
        searchBy(
          store,
          scope.tenantId,
          await actorsOf(store, [scope.tenantId], actor),
          filter,
          page,
        )
  const [, part] = await Promise.all([getTenant(scope), search()])
  return part
}

/** One entry of a tenant. */
export async function getAuditEntry(scope: Scope, id: number): Promise<StoredAuditEntry> {
  await getTenant(scope)
  return found(await scope.context.store.audit.get(scope.tenantId, id))
}
