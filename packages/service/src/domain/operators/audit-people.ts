import type { AuditDetails } from '../../store/audit-details.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { DomainContext } from '../writes/context.ts'

/** The names of the ids in audit entries. Deleted objects have none. */
export interface AuditNames {
  /** The users by id. An operator is a user of the system tenant. */
  readonly users: ReadonlyMap<string, User>
  /** The names of API keys by id. */
  readonly keys: ReadonlyMap<string, string>
}

/** Reads the names of all actors and targets of some entries, in two statements. */
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
 * Reads the names and values that some entries stored when they were written, by the ids of the
 * entries.
 */
export async function detailsOf(
  { store }: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<ReadonlyMap<number, AuditDetails>> {
  return await store.audit.details(entries.map(({ id }) => id))
}

/** The id of the object that an actor, such as `user:usr_…`, or a target, such as `usr_…/password`, names. */
export function idIn(text: string): string {
  return text.replace(/^\w+:/, '').replace(/\/.*$/, '')
}
