import type { Micros } from '../store/records.ts'

/** The second that was written last: a list holds many instants of the same one. */
let latest = { second: Number.NaN, text: '' }

/** An instant as the API writes it: RFC 3339 in UTC with six digits of fraction. */
export function formatTimestamp(at: Micros): string {
  const second = Math.floor(at / 1_000_000)
  if (second !== latest.second) {
    latest = { second, text: new Date(second * 1_000).toISOString().slice(0, -'000Z'.length) }
  }
  return `${latest.text}${String(at - second * 1_000_000).padStart(6, '0')}Z`
}

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i

/** Reads an RFC 3339 timestamp; digits beyond microseconds are dropped. `undefined` for other text. */
export function parseTimestamp(text: string): Micros | undefined {
  const [, seconds, fraction = '', offset] = RFC3339.exec(text) ?? []
  const millis = Date.parse(`${seconds}${offset}`.toUpperCase())
  if (Number.isNaN(millis)) return undefined
  return millis * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}
