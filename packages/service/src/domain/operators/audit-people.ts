import type { AuditDetails } from '../../store/audit-details.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { DomainContext } from '../writes/context.ts'

/** The names for the ids in audit entries. The ids of deleted objects have no names. */
export interface AuditNames {
  /** The users by id. An operator is a user of the system tenant. */
  readonly users: ReadonlyMap<string, User>
  /** The names of API keys by id. */
  readonly keys: ReadonlyMap<string, string>
}

/**
 * Reads the names of the users and API keys that are actors or targets of audit entries, in at most
 * two statements.
 */
export async function namesIn(
  { store }: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<AuditNames> {
  const named = entries.flatMap(({ actor, target }) => [actor, target].map(idIn))
  const ids = [...new Set(named)].filter((id) => id.startsWith('usr_'))
  const tenantIds = [...new Set(entries.map(({ tenantId }) => tenantId ?? SYSTEM_TENANT_ID))]
  const hasKeys = named.some((id) => id.startsWith('key_'))
  const [users, keys] = await Promise.all([
    store.users.getMany([...new Set([SYSTEM_TENANT_ID, ...tenantIds])], ids),
    hasKeys ? store.apiKeys.list() : [],
  ])
  return {
    users: new Map(users.map((user) => [user.id, user])),
    keys: new Map(keys.map(({ id, name }) => [id, name])),
  }
}

/**
 * Reads the stored details of audit entries, by entry id: names and values at the time of the
 * entry.
 */
export async function detailsOf(
  { store }: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<ReadonlyMap<number, AuditDetails>> {
  return await store.audit.details(entries.map(({ id }) => id))
}

/**
 * The id of the object that an actor or a target names, such as `usr_…` in `user:usr_…` and in
 * `usr_…/password`.
 */
export function idIn(text: string): string {
  return text.replace(/^\w+:/, '').replace(/\/.*$/, '')
}
