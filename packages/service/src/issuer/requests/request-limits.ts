import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from '../../domain/writes/addresses.ts'
import { count } from '../../telemetry/metrics.ts'

/** Limits for requests before any password is checked. */
export interface RequestLimits {
  /** The maximum number of requests per second from one network to the protocol's endpoints. */
  protocolPerSecond: number
  /** The maximum number of logins per minute that one network begins. */
  loginsPerMinute: number
  /**
   * The maximum number of unfinished logins of all networks. Beyond it, the oldest login is
   * deleted.
   */
  unfinishedLogins: number
}

/**
 * The default limits. They are generous, because one network may be an office, or an application's
 * server.
 */
export const defaultRequestLimits: RequestLimits = {
  protocolPerSecond: 500,
  loginsPerMinute: 600,
  unfinishedLogins: 50_000,
}

/** The counters of requests, in this process. */
export interface RequestCounts {
  /**
   * Counts a request to the protocol's endpoints. Returns the seconds to wait if there are too
   * many.
   */
  countRequest(clientIp: string): Promise<number | undefined>
  /** Counts a login that begins. Returns the seconds to wait if there are too many. */
  countLogin(clientIp: string): Promise<number | undefined>
}

/** Creates the counters. A request from within this process has no IP address, and no limit. */
export function createRequestCounts(limits: RequestLimits): RequestCounts {
  const requests = new RateLimiterMemory({ points: limits.protocolPerSecond, duration: 1 })
  const logins = new RateLimiterMemory({ points: limits.loginsPerMinute, duration: 60 })
  return {
    countRequest: (clientIp) => secondsToWait('protocolPerSecond', requests, clientIp),
    countLogin: (clientIp) => secondsToWait('loginsPerMinute', logins, clientIp),
  }
}

async function secondsToWait(
  limit: keyof RequestLimits,
  limiter: RateLimiterMemory,
  clientIp: string,
): Promise<number | undefined> {
  if (clientIp === '') return undefined
  try {
    await limiter.consume(clientNetwork(clientIp))
    return undefined
  } catch (cause) {
    if (!(cause instanceof RateLimiterRes)) throw cause
    count('limits', { limit })
    return Math.max(1, Math.ceil(cause.msBeforeNext / 1_000))
  }
}
