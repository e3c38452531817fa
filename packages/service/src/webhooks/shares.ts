import type { Lane, LaneLimits } from '../store/deliveries.ts'

/** How many endpoints of one tenant a process sends to at a time, so that other tenants get their turn. */
const OF_TENANT = 5

/** The same for failing endpoints. It is lower, because each occupies its place until it times out. */
const FAILING_OF_TENANT = 2

/** The maximum number of failing endpoints, of all tenants together. */
const FAILING = 50

/** Counts the lanes that a process holds, by tenant, and computes the limits for its next claim. */
export interface Shares {
  limits(): LaneLimits
  take(lane: Lane): void
  /** Frees the place of a lane. Returns whether others may have waited for it. */
  leave(lane: Lane): boolean
}

/** Makes the counts, without any lane. */
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

/** Whether the endpoint did not accept its last event. */
function isFailing({ failingSeconds }: Lane): boolean {
  return failingSeconds !== undefined
}
