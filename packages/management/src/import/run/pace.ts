import type { Fetch } from '../../options.ts'

/** A `fetch` that keeps to the server's rate limit. */
export interface Pace {
  fetch: Fetch
  /**
   * The `Date` of the first response that has one, in milliseconds since the epoch; 0 without such
   * a response.
   */
  serverTime(): number
}

/** The options of {@link createPace}. */
export interface PaceOptions {
  /** Seconds that a request may take, from the moment at which it is sent. */
  timeoutSeconds: number
  /** The highest rate, in requests per second. Default: no limit. */
  most?: number | undefined
}

/**
 * Creates a `fetch` that slows down to the server's rate limit.
 *
 * Requests are sent at the rate `most` until the first 429. After a 429, all requests wait for the
 * time in `retry-after`, or 1 s. They continue at 95 % of the rate before the 429. Every second,
 * the rate then grows by 2 %. The timeout of a request that waits begins after the wait.
 */
export function createPace(
  fetch: Fetch,
  { timeoutSeconds, most = Number.POSITIVE_INFINITY }: PaceOptions,
): Pace {
  let rate = most
  let nextAt = 0
  let windowAt = 0
  let answered = 0
  let previous = 0
  let serverTime: number | undefined

  function roll(now: number): void {
    if (now - windowAt < 1_000) return
    previous = now - windowAt < 2_000 ? answered : 0
    answered = 0
    windowAt = now
    rate = Math.min(most, rate * 1.02)
  }

  function slowDown(now: number, seconds: number): void {
    const isFirst = now >= nextAt - 1_000 / rate - 1
    nextAt = Math.max(nextAt, now + seconds * 1_000)
    if (isFirst || rate === Number.POSITIVE_INFINITY) {
      rate = Math.max(1, Math.min(rate, Math.max(answered, previous) * 0.95))
    }
  }

  return {
    serverTime: () => serverTime ?? 0,
    async fetch(url, init) {
      let { signal } = init
      if (rate !== Number.POSITIVE_INFINITY) {
        const at = Math.max(performance.now(), nextAt)
        nextAt = at + 1_000 / rate
        const wait = at - performance.now()
        if (wait > 1) {
          await new Promise((resolve) => setTimeout(resolve, wait))
          signal = AbortSignal.timeout(timeoutSeconds * 1_000)
        }
      }
      const response = await fetch(url, { ...init, signal })
      const now = performance.now()
      roll(now)
      const date = response.headers.get('date')
      if (date && serverTime === undefined) serverTime = Date.parse(date)
      if (response.status === 429) slowDown(now, Number(response.headers.get('retry-after')) || 1)
      else answered++
      return response
    },
  }
}
