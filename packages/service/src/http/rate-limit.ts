import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../domain/errors.ts'

/** How many requests an API key may make. */
export interface RateLimit {
  /** @throws ServiceError `rate_limited`, with the seconds to wait. */
  spend(keyId: string): Promise<void>
}

/** A limit counted in this process, in windows of one second. */
export function createRateLimit(requestsPerSecond: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 })
  return {
    async spend(keyId) {
      try {
        await limiter.consume(keyId)
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause
        const seconds = Math.max(1, Math.ceil(cause.msBeforeNext / 1_000))
        throw new ServiceError(
          'rate_limited',
          `This API key may make ${requestsPerSecond} requests per second; wait ${seconds} s.`,
          { retryAfterSeconds: seconds },
        )
      }
    },
  }
}
