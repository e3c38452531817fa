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
  /**
   * Counts requests of a key.
   *
   * @param requests - The number of requests. More than the limit of a second count as that limit.
   *   Default 1.
   * @throws ServiceError `rate_limited`, with the seconds to wait.
   */
  spend(keyId: string, requests?: number): Promise<void>
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
