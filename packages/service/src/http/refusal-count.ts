import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from '../domain/writes/addresses.ts'

/**
 * The number of refusals without a valid API key that a network can add to the audit log a minute.
 */
const UNAUTHENTICATED_PER_MINUTE = 20

/** A counter of refusals without a valid API key, so that visitors cannot flood the audit log. */
export interface RefusalCount {
  /**
   * Counts a refusal of a client. Resolves to whether the audit log gets an entry for this refusal.
   */
  count(address: string): Promise<boolean>
}

/** Creates a counter in the memory of this process, by network. */
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
