import { EARLIEST, instantOfDay, LATEST } from '../domain/writes/days.ts'
import type { Micros } from '../store/records.ts'

/**
 * The minute of the last timestamp with its text. It is cached, because a list has many timestamps
 * of the same minute.
 */
let latest = { minute: Number.NaN, text: '' }

const MINUTE = 60_000_000

/** Formats a time for the API: RFC 3339 in UTC with six digits of fraction. */
export function formatTimestamp(at: Micros): string {
  const minute = Math.floor(at / MINUTE)
  if (minute !== latest.minute) {
    latest = { minute, text: new Date(minute * 60_000).toISOString().slice(0, -'00.000Z'.length) }
  }
  // Adding a power of ten keeps the leading zeros. The additional first digit is removed.
  const digits = String(at - minute * MINUTE + 100_000_000)
  return `${latest.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`
}

const RFC3339 =
  /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i

/**
 * Parses an RFC 3339 timestamp. Digits beyond microseconds are dropped. An instant before
 * {@link EARLIEST} or after {@link LATEST} becomes that one. `undefined` for other text, and for a
 * day that does not exist.
 */
export function parseTimestamp(text: string): Micros | undefined {
  const [, day = '', time, fraction = '', offset] = RFC3339.exec(text) ?? []
  const millis = Date.parse(`${day}${time}${offset}`.toUpperCase())
  if (Number.isNaN(millis) || instantOfDay(day) === undefined) return undefined
  const at = millis * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return Math.min(Math.max(at, EARLIEST), LATEST)
}
