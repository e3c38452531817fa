import type { Lane, LaneLimits } from '../store/deliveries.ts'

/**
 * The number of endpoints of a tenant to which a process sends at a time, so that all tenants get a
 * turn.
 */
const OF_TENANT = 5

/**
 * The same limit for failing endpoints. It is lower, because each occupies a lane until it times
 * out.
 */
const FAILING_OF_TENANT = 2

/** The number of failing endpoints, of all tenants, to which a process sends at a time. */
const FAILING = 50

/** The counts of the lanes that a process holds, by tenant, and the limits for its next claim. */
export interface Shares {
  limits(): LaneLimits
  take(lane: Lane): void
  /** Removes a lane. Returns whether a limit was reached, so that other lanes may have waited. */
  leave(lane: Lane): boolean
}

/** Creates the counts for a process that holds no lane. */
export function createShares(): Shares {
  const held = { quick: new Map<string, number>(), failing: new Map<string, number>() }
  let failing = 0
  const kindOf = (lane: Lane) => (isFailing(lane) ? 'failing' : 'quick')

  function add({ webhook: { tenantId } }: Lane, to: Map<string, number>, n: number): number {
    const before = to.get(tenantId) ?? 0
    if (before + n > 0) to.set(tenantId, before + n)
    else to.delete(tenantId)
    return before
  }

  return {
    limits: () => ({
      quick: { ofTenant: OF_TENANT, held: held.quick },
      failing: { ofTenant: FAILING_OF_TENANT, held: held.failing },
      moreFailing: Math.max(0, FAILING - failing),
    }),
    take(lane) {
      add(lane, held[kindOf(lane)], 1)
      if (isFailing(lane)) failing++
    },
    leave(lane) {
      const before = add(lane, held[kindOf(lane)], -1)
      if (!isFailing(lane)) return before >= OF_TENANT
      failing--
      return before >= FAILING_OF_TENANT || failing + 1 >= FAILING
    },
  }
}

/** Whether the endpoint of a lane has not accepted its latest events. */
function isFailing({ failingSeconds }: Lane): boolean {
  return failingSeconds !== undefined
}
