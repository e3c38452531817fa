import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { clientNetwork } from '../domain/writes/addresses.ts'

/** How many refusals without a valid API key one network can add to the audit log per minute. */
const UNAUTHENTICATED_PER_MINUTE = 20

/** Counts refusals that every visitor can cause, so that they cannot flood the audit log. */
export interface RefusalCount {
  /** Counts a refusal of a client. Returns whether to add it to the audit log. */
  count(address: string): Promise<boolean>
}

/** Makes a count in this process, by network. */
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
