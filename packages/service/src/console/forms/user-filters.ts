import { instantOfDay } from '../../domain/writes/days.ts'
import { type LoginWay, loginWays } from '../../store/records.ts'
import { type UserOrder, type UserQuery, userOrders } from '../../store/user-search.ts'
import type { Sentence } from '../texts/index.ts'

/** The filters of the list of users, as they were sent. An empty text is no filter. */
export interface UserFilters {
  /** A part of an address or a name, `@domain`, or an id. */
  readonly search: string
  /** `disabled` or `unverified`; any other text is no filter. */
  readonly state: string
  /** The method of the last login; `never` for users who have not logged in. */
  readonly way: LoginWay | 'never' | ''
  /** A day such as `2026-12-31`, for users who have not logged in since then. */
  readonly not_since: string
  readonly order: UserOrder
}

/** The form fields of {@link UserFilters}, except the order. */
export const filterNames = ['search', 'state', 'way', 'not_since'] as const

/** The labels of the filter for the method of the last login. */
export const wayWords: Readonly<Record<LoginWay | 'never', Sentence>> = {
  password: 'Password',
  passkey: 'Passkey',
  social: 'Account at a provider',
  code: 'Code',
  never: 'Never logged in',
}

/**
 * Reads the filters from a query or a form. A search ignores the order. With the order by last
 * login, only the filter for the method of that login counts.
 */
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

/** The query for the users that match the filters, without their order. */
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
