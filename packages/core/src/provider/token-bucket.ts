/**
 * A token bucket. It limits how often something is done: a burst, and then once per refill time.
 */
export interface TokenBucket {
  /** Takes a token from the bucket; `false` if it is empty. */
  take(): boolean
  /** Puts a token back. */
  giveBack(): void
}

/**
 * Makes a full bucket. It uses a monotonic clock, so that a change of the system time does not
 * affect it.
 *
 * @param capacity - The largest burst.
 * @param refillSeconds - Seconds until one token has been added.
 */
export function createTokenBucket(capacity: number, refillSeconds: number): TokenBucket {
  let tokens = capacity
  let countedAt = performance.now()
  return {
    take() {
      const now = performance.now()
      tokens = Math.min(capacity, tokens + (now - countedAt) / (refillSeconds * 1000))
      countedAt = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    giveBack() {
      tokens = Math.min(capacity, tokens + 1)
    },
  }
}
