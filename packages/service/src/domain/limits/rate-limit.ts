import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { count } from '../../telemetry/metrics.ts'
import { inClientSpan } from '../../telemetry/tracing.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'

/** The number of requests that an API key may make. */
export interface RateLimit {
  /**
   * @param requests - The number of requests. More than the limit of a second count as that limit. Default 1.
   * @throws ServiceError `rate_limited`, with the seconds to wait.
   */
  spend(keyId: string, requests?: number): Promise<void>
}

/** The requests per second, unless an option sets another number. */
const DEFAULT_RATE = 100

/** A limit counted in this process, in windows of one second. */
export function createRateLimit(requestsPerSecond: number = DEFAULT_RATE): RateLimit {
  return limitOf(createLimiter(requestsPerSecond), requestsPerSecond)
}

/**
 * A limit counted in Redis, so that it is the same for any number of processes. While Redis does not answer, each
 * process counts for itself.
 *
 * @param client - An ioredis connection whose commands fail after a short time.
 */
export function createSharedRateLimit(
  client: object,
  requestsPerSecond: number = DEFAULT_RATE,
): RateLimit {
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: 'latchkey:r',
    points: requestsPerSecond,
    duration: 1,
    // After a key has used its limit, its requests are refused in this process until the second is over, without a call
    // of Redis.
    inMemoryBlockOnConsumed: requestsPerSecond,
    rejectIfRedisNotReady: true,
    insuranceLimiter: createLimiter(requestsPerSecond),
  })
  return limitOf(limiter, requestsPerSecond, (work) => inClientSpan('redis', 'rate_limit', work))
}

function createLimiter(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: 1 })
}

function limitOf(
  limiter: RateLimiterAbstract,
  requestsPerSecond: number,
  traced: (work: () => Promise<Error | undefined>) => Promise<Error | undefined> = (work) => work(),
): RateLimit {
  async function refusalOf(keyId: string, requests: number): Promise<Error | undefined> {
    try {
      await limiter.consume(keyId, Math.min(requests, requestsPerSecond))
      return undefined
    } catch (cause) {
      if (!(cause instanceof RateLimiterRes)) throw cause
      const seconds = Math.max(1, Math.ceil(cause.msBeforeNext / 1_000))
      return new ServiceError(
        'rate_limited',
        reason('key_too_fast', { most: requestsPerSecond, seconds }),
        { retryAfterSeconds: seconds },
      )
    }
  }
  return {
    async spend(keyId, requests = 1) {
      const refusal = await traced(() => refusalOf(keyId, requests))
      if (!refusal) return
      count('limits', { limit: 'requestsPerSecond' })
      throw refusal
    },
  }
}
