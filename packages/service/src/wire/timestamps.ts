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
  const digits = String(100_000_000 + at - minute * MINUTE)
  return `${latest.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`
}

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i

/**
 * Parses an RFC 3339 timestamp. Digits beyond microseconds are dropped. `undefined` for other text.
 */
export function parseTimestamp(text: string): Micros | undefined {
  const [, seconds, fraction = '', offset] = RFC3339.exec(text) ?? []
  const millis = Date.parse(`${seconds}${offset}`.toUpperCase())
  if (Number.isNaN(millis)) return undefined
  return millis * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}
