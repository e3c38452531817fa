import { type DomainContext, nowMicros } from '../writes/context.ts'

/** The most entries that are counted, so that a busy day costs a page no more than a quiet one. */
export const MAX_COUNTED = 10_000

const DAY_MICROS = 86_400 * 1e6

/** Steps of a login that refuse nothing. */
const notRefused = new Set(['login.succeeded', 'login.code_requested'])

/** The logins of a day. A number above {@link MAX_COUNTED} means that there were more than that. */
export interface Activity {
  logins: number
  /** Attempts that were refused, such as by a wrong password. */
  refused: number
}

/** The logins of the last 24 hours: of a tenant, or of the whole service. */
export async function lastDay(
  { store, clock }: DomainContext,
  tenantId: string | undefined,
): Promise<Activity> {
  const from = nowMicros(clock) - DAY_MICROS
  const query = { action: 'login.', from, limit: MAX_COUNTED + 1 }
  const counts = await store.audit.count(tenantId, query)
  const refusals = [...counts].filter(([action]) => !notRefused.has(action))
  return {
    logins: counts.get('login.succeeded') ?? 0,
    refused: refusals.reduce((sum, [, n]) => sum + n, 0),
  }
}
