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

/** The limit of requests of each API key. */
export interface RateLimit {
  /** Counts a request of a key. @throws ServiceError `rate_limited`, with the seconds to wait. */
  spend(keyId: string): Promise<void>
  /**
   * Counts the work of a counted request as further requests. The request and its work count at
   * most as the limit of a second, so that a rested key can make every request.
   *
   * @throws ServiceError `rate_limited`, with the seconds to wait.
   */
  spendFurther(keyId: string, requests: number): Promise<void>
}

/** The default number of requests per second. */
const DEFAULT_RATE = 100

/** Creates a limit that is counted in this process, in windows of one second. */
export function createRateLimit(requestsPerSecond: number = DEFAULT_RATE): RateLimit {
  return limitOf(createLimiter(requestsPerSecond), requestsPerSecond)
}

/**
 * Creates a limit that is counted in Redis, so that all processes share it. While Redis does not
 * answer, each process counts for itself.
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
    // After a key has reached its limit, this process refuses its requests until the second is
    // over, without calling Redis.
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
      await limiter.consume(keyId, requests)
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
  async function consume(keyId: string, requests: number): Promise<void> {
    const refusal = await traced(() => refusalOf(keyId, requests))
    if (!refusal) return
    count('limits', { limit: 'requestsPerSecond' })
    throw refusal
  }
  return {
    spend: (keyId) => consume(keyId, 1),
    async spendFurther(keyId, requests) {
      const further = Math.min(requests, requestsPerSecond - 1)
      if (further > 0) await consume(keyId, further)
    },
  }
}
