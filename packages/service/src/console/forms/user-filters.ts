import { instantOfDay } from '../../domain/writes/days.ts'
import { type LoginWay, loginWays } from '../../store/records.ts'
import { type UserOrder, type UserQuery, userOrders } from '../../store/user-search.ts'
import type { Sentence } from '../texts/index.ts'

/** The filters of the list of users, as they were sent. */
export interface UserFilters {
  readonly search: string
  readonly state: string
  /** A way of the last login, `never`, or nothing. */
  readonly way: LoginWay | 'never' | ''
  /** A day such as `2026-12-31`, or nothing. */
  readonly not_since: string
  readonly order: UserOrder
}

/** The names of {@link UserFilters} in a form, but for the order. */
export const filterNames = ['search', 'state', 'way', 'not_since'] as const

/** The ways of the last login, as the filter names them. */
export const wayWords: Readonly<Record<LoginWay | 'never', Sentence>> = {
  password: 'Password',
  passkey: 'Passkey',
  social: 'Account at a provider',
  code: 'Code',
  never: 'Never logged in',
}

/** Reads the filters. The order by login is that of all users, and a search has an order of its own. */
export function userFiltersIn(query: URLSearchParams): UserFilters {
  const search = (query.get('search') ?? '').trim().slice(0, 254)
  const state = query.get('state') ?? ''
  const sentWay = query.get('way')
  const way = [...loginWays, 'never' as const].find((one) => one === sentWay) ?? ''
  const day = query.get('not_since') ?? ''
  const not_since = instantOfDay(day) === undefined ? '' : day
  const order = userOrders.find((one) => one === query.get('order')) ?? 'oldest'
  if (search !== '') return { search, state, way, not_since, order: 'oldest' }
  if (order !== 'login') return { search, state, way, not_since, order }
  return { search, state: '', way: way === 'never' ? '' : way, not_since: '', order }
}

/** The users that the filters let through. */
export function userQueryOf({
  search,
  state,
  way,
  not_since,
}: UserFilters): Omit<UserQuery, 'inside' | 'order'> {
  return {
    search: search || undefined,
    disabled: state === 'disabled' ? true : undefined,
    verified: state === 'unverified' ? false : undefined,
    lastWay: way || undefined,
    notSince: instantOfDay(not_since),
  }
}
