import type { AuditFilter, AuditPage, AuditPart } from '../../store/audit-search.ts'
import { emailKey } from '../../store/email-key.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { getTenant } from '../tenants/tenants.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found } from '../writes/errors.ts'

/** A search for audit entries, as an operator types it. */
export interface AuditQuestion extends Omit<AuditFilter, 'actors'> {
  /**
   * An actor as entries have it, such as `user:usr_…`; or the id alone; or the email address of a
   * user or an operator.
   */
  actor?: string | undefined
}

/**
 * Searches the audit log of a tenant, or with `undefined` that of the whole service. The newest
 * entries come first. If several users have the searched name, `meant` is the user to whom the
 * entries belong.
 */
export async function searchAudit(
  { store }: DomainContext,
  tenantId: string | undefined,
  { actor, target, ...rest }: AuditQuestion,
  page: AuditPage,
): Promise<AuditPart & { meant: User | undefined }> {
  const about = target === undefined ? { filter: {} } : await targetOf(store, tenantId, target)
  if (!about) return { items: [], next: undefined, meant: undefined }
  const filter = { ...rest, ...about.filter }
  const tenants = tenantId === undefined ? [SYSTEM_TENANT_ID] : [SYSTEM_TENANT_ID, tenantId]
  const part =
    actor === undefined
      ? await store.audit.search(tenantId, filter, page)
      : await searchBy(store, tenantId, await actorsOf(store, tenants, actor), filter, page)
  return { ...part, meant: about.meant }
}

/** The pattern of an id, of a path that begins with an id, and of the target `service`. */
const ID = /^[a-z]{3}_|^service$/

/**
 * The target for a search text. An id is used unchanged. An email address or a name finds a user
 * with all of the user's objects; without a tenant, it finds an operator. The first of several
 * users with a name is `meant`.
 */
async function targetOf(
  { users }: DomainContext['store'],
  tenantId: string | undefined,
  text: string,
): Promise<Target | undefined> {
  if (ID.test(text)) return { filter: { target: text } }
  const within = tenantId ?? SYSTEM_TENANT_ID
  const isAddress = text.includes('@')
  if (isAddress) {
    const user = await users.findByEmail(within, emailKey(text))
    return user && { filter: { user: user.id } }
  }
  const page = { after: undefined, limit: 2 }
  const [user, another] = (await users.search(within, { search: text }, page)).items
  // Without such a user, the text may be another target, such as a freed domain.
  if (!user) return { filter: { target: text } }
  return { filter: { user: user.id }, meant: another && user }
}

/**
 * The filter for a target. If several users have the searched name, `meant` is the user in the
 * filter.
 */
interface Target {
  filter: Pick<AuditFilter, 'target' | 'user'>
  meant?: User | undefined
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

/**
 * The actors for a search text: an email address in one of the tenants, an id, or an actor as
 * entries have it.
 */
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

/** Finds an audit entry of any tenant or of the service by its id. */
export function findAuditEntry(
  { store }: DomainContext,
  id: number,
): Promise<StoredAuditEntry | undefined> {
  return store.audit.get(undefined, id)
}

/**
 * Searches the audit log of a tenant. The newest entries come first.
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
      : // Operators are not looked up by address: the API does not expose the system tenant.
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

/**
 * The audit entry of a tenant with this id.
 *
 * @throws ServiceError `not_found` for an unknown tenant or entry.
 */
export async function getAuditEntry(scope: Scope, id: number): Promise<StoredAuditEntry> {
  await getTenant(scope)
  return found(await scope.context.store.audit.get(scope.tenantId, id))
}
