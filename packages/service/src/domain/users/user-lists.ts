import type { Micros, User } from '../../store/records.ts'
import type { SearchCursor, SearchPage, UserQuery } from '../../store/user-search.ts'
import type { Scope } from '../writes/context.ts'

/** A user in a list that operators read. */
export interface ListedUser {
  user: User
  /**
   * The last login since release 0.3.0, or an earlier login that the audit log still had at the
   * upgrade.
   */
  lastLoginAt: Micros | undefined
}

/** A page of a list that operators read. Without `next`, it is the last page. */
export interface UserList {
  items: ListedUser[]
  next: SearchCursor | undefined
  /**
   * Whether the search compared only the beginnings of texts, because the database cannot search
   * inside them.
   */
  onlyBeginnings: boolean
}

/**
 * A page of a tenant's users, filtered and sorted by the query. A searched text may be anywhere in
 * the address or a name.
 */
export async function listOfUsers(
  { context: { store }, tenantId }: Scope,
  query: Omit<UserQuery, 'inside'>,
  page: SearchPage,
): Promise<UserList> {
  const { items, next } = await store.users.search(tenantId, { ...query, inside: true }, page)
  const ids = items.map(({ id }) => id)
  const logins = await store.users.lastLogins(tenantId, ids)
  return {
    items: items.map((user) => ({ user, lastLoginAt: logins.get(user.id) })),
    next,
    onlyBeginnings: query.search !== undefined && !(await store.users.findsInside()),
  }
}

/** The last login of a user; `undefined` if no login is known. */
export async function lastLoginOf(
  { context: { store }, tenantId }: Scope,
  userId: string,
): Promise<Micros | undefined> {
  return (await store.users.lastLogins(tenantId, [userId])).get(userId)
}
