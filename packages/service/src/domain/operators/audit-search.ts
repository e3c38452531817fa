import type { AuditFilter, AuditPage, AuditPart } from '../../store/audit-search.ts'
import { emailKey } from '../../store/email-key.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { getTenant } from '../tenants/tenants.ts'
import type { DomainContext, Scope } from '../writes/context.ts'
import { found } from '../writes/errors.ts'

/** A search for entries in the words of a person. */
export interface AuditQuestion extends Omit<AuditFilter, 'actors'> {
  /**
   * The actor as in entries, such as `user:usr_…`; or only its id; or the address of a user or an
   * operator.
   */
  actor?: string | undefined
}

/**
 * Entries of a tenant, or of the whole service with `undefined`, the newest first. If several users have the name that
 * is searched for, `meant` is the one whose entries these are.
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

/** The form of ids, and of paths that begin with one. */
const ID = /^[a-z]{3}_|^service$/

/**
 * The target that a search text means: an id, or else the address or the name of a user, with all objects of that user.
 * In the log of the whole service, it finds operators. Of several users with a name, the first one is `meant`.
 *
 * @returns `undefined` if no user has the address.
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
  // The target is not a user, such as a domain that was freed.
  if (!user) return { filter: { target: text } }
  return { filter: { user: user.id }, meant: another && user }
}

/** The filter for a target, and the user that is meant if several have the name. */
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

/** The actors that a search text means. An address may belong to a user of any of the tenants. */
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
