import type { DayCount } from '../../store/ports.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'

/**
 * The maximum number of entries that are counted, so that a busy day takes a page no longer than a
 * quiet one.
 */
export const MAX_COUNTED = 10_000

/** A day in microseconds. */
export const DAY_MICROS = 86_400 * 1e6

/** The number of days in {@link lastMonth}. */
export const MONTH_DAYS = 30

/**
 * The maximum number of logins, and of refusals of each kind, that are counted for a month.
 * Counting them takes about 3 ms for each kind on SQLite.
 */
export const MAX_OF_MONTH = 20_000

const LOGIN = 'login.succeeded'

/** The audit actions of a login that are not refusals. */
const notRefused = new Set([LOGIN, 'login.code_requested'])

/** The numbers of logins and of refused attempts in a period. */
export interface Activity {
  logins: number
  /** The number of refused attempts, such as those with a wrong password. */
  refused: number
}

/** The numbers of logins and of refused attempts on a day in UTC. */
export interface DayActivity extends Activity {
  /** The number of days since the epoch. */
  day: number
}

/**
 * The logins of each of the last 30 days, the oldest first: of a tenant, or with `undefined` of the
 * whole service. If there are more than {@link MAX_OF_MONTH}, days that were not counted completely
 * are left out, possibly all.
 */
export async function lastMonth(
  { store, clock }: DomainContext,
  tenantId: string | undefined,
): Promise<DayActivity[]> {
  const today = Math.floor(nowMicros(clock) / DAY_MICROS)
  const from = (today - MONTH_DAYS + 1) * DAY_MICROS
  const query = { action: 'login.', from, limit: MAX_OF_MONTH }
  const all = await store.audit.countByDay(tenantId, query)
  const counts = all.filter(({ action }) => action === LOGIN || !notRefused.has(action))
  const days = new Map<number, DayActivity>()
  const first = Math.max(...partDays(counts).map((day) => day + 1), today - MONTH_DAYS + 1)
  for (let day = first; day <= today; day++) days.set(day, { day, logins: 0, refused: 0 })
  for (const { action, day, n } of counts) {
    const of = days.get(day)
    if (of) of[action === LOGIN ? 'logins' : 'refused'] += n
  }
  return [...days.values()]
}

/**
 * The days that were counted only in part. They are the days of the oldest counted entry of each
 * action that reached the limit.
 */
function partDays(counts: readonly DayCount[]): number[] {
  return [...Map.groupBy(counts, ({ action }) => action).values()]
    .filter((days) => days.reduce((sum, { n }) => sum + n, 0) >= MAX_OF_MONTH)
    .map((days) => Math.min(...days.map(({ day }) => day)))
}

/**
 * The logins of the last 24 hours: of a tenant, or with `undefined` of the whole service. Logins
 * and refusals of each kind are counted up to {@link MAX_COUNTED} + 1.
 */
export async function lastDay(
  { store, clock }: DomainContext,
  tenantId: string | undefined,
): Promise<Activity> {
  const from = nowMicros(clock) - DAY_MICROS
  const query = { action: 'login.', from, limit: MAX_COUNTED + 1 }
  const counts = await store.audit.count(tenantId, query)
  const refusals = [...counts].filter(([action]) => !notRefused.has(action))
  return {
    logins: counts.get(LOGIN) ?? 0,
    refused: refusals.reduce((sum, [, n]) => sum + n, 0),
  }
}
