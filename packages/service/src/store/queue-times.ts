/**
 * The seconds by which a time in a queue can exceed the longest lease or wait, because two
 * statements read the clock one after the other. A time further ahead was set by a clock that has
 * gone back since, and counts as due.
 */
export const SLACK_SECONDS = 5

/** The microseconds within which every lease and wait ends, unless the clock was set back. */
export function within(seconds: number): number {
  return (seconds + SLACK_SECONDS) * 1e6
}

/**
 * The microseconds that a message waits at most, by its attempts, as an SQL expression.
 *
 * @param waits - In seconds, by the number of attempts; the last one is for all further attempts.
 */
export function longestWait(waits: readonly number[]): string {
  const cases = waits.map((seconds, n) => `when ${n} then ${within(seconds)}`)
  return `case attempts ${cases.join(' ')} else ${within(waits.at(-1) ?? 0)} end`
}
