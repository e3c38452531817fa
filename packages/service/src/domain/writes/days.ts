import type { Micros } from '../../store/records.ts'

/**
 * The first and the last instant that is stored: the beginnings of 1700 and 2250 in UTC. Every
 * database returns the microseconds between them as the same number.
 */
export const EARLIEST: Micros = Date.UTC(1700, 0, 1) * 1_000
export const LATEST: Micros = Date.UTC(2250, 0, 1) * 1_000

/** The first instant in UTC of a day such as `2026-12-31`; `undefined` for any other text. */
export function instantOfDay(text: string): Micros | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const at = Date.parse(text)
  // `Date.parse` turns February 31 into a day in March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text)) return undefined
  return at * 1_000
}
