import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from '../domain/writes/addresses.ts'

/** Refusals without a good API key that one network adds to the audit log in a minute. */
const UNAUTHENTICATED_PER_MINUTE = 20

/**
 * Counts refusals that every visitor can cause, instead of logging each, so that they cannot flood
 * the audit log.
 */
export interface RefusalCount {
  /** Counts one of a client; says whether it belongs in the audit log. */
  count(address: string): Promise<boolean>
}

/** A count in this process, by network. */
export function createRefusalCount(): RefusalCount {
  const limiter = new RateLimiterMemory({ points: UNAUTHENTICATED_PER_MINUTE, duration: 60 })
  return {
    async count(address) {
      try {
        await limiter.consume(clientNetwork(address))
        return true
      } catch (cause) {
        if (!(cause instanceof RateLimiterRes)) throw cause
        return false
      }
    },
  }
}
