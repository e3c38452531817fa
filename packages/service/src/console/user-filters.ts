import { type UserOrder, type UserQuery, userOrders } from '../store/user-search.ts'

/** The filters of the list of users, as they were sent. */
export interface UserFilters {
  readonly search: string
  readonly state: string
  readonly order: UserOrder
}

/** Reads the filters. The order by login is that of all users, and a search has an order of its own. */
export function userFiltersIn(query: URLSearchParams): UserFilters {
  const search = (query.get('search') ?? '').trim().slice(0, 254)
  const state = query.get('state') ?? ''
  const order = userOrders.find((one) => one === query.get('order')) ?? 'oldest'
  if (search !== '') return { search, state, order: 'oldest' }
  return { search, state: order === 'login' ? '' : state, order }
}

/** The users that the filters let through. */
export function userQueryOf({ search, state }: UserFilters): Omit<UserQuery, 'inside' | 'order'> {
  return {
    search: search || undefined,
    disabled: state === 'disabled' ? true : undefined,
    verified: state === 'unverified' ? false : undefined,
  }
}
