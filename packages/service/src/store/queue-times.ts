/**
 * The seconds by which a time in a queue can exceed the longest lease or wait, because two
 * statements read the clock one after the other. A time further ahead comes from a clock that was
 * set back since, and counts as due.
 */
export const SLACK_SECONDS = 5

/**
 * The microseconds within which every lease or wait of `seconds` ends, unless the clock was set
 * back.
 */
export function within(seconds: number): number {
  return (seconds + SLACK_SECONDS) * 1e6
}

/**
 * The SQL expression for the maximum wait of a message in microseconds, by its number of attempts.
 *
 * @param waits - The waits in seconds, by the number of attempts; the last item is for all further
 *   attempts.
 */
export function longestWait(waits: readonly number[]): string {
  const cases = waits.map((seconds, n) => `when ${n} then ${within(seconds)}`)
  return `case attempts ${cases.join(' ')} else ${within(waits.at(-1) ?? 0)} end`
}

/** The number of items of each tenant. */
export function heldByTenant(
  items: readonly { readonly tenantId: string }[],
): { readonly id: string; readonly n: number }[] {
  const counts = new Map<string, number>()
  for (const { tenantId } of items) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
  return [...counts].map(([id, n]) => ({ id, n }))
}
