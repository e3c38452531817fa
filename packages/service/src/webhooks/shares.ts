import type { Lane, LaneLimits } from '../store/deliveries.ts'

/** The most endpoints of a tenant that a process sends to at a time, so that those of others get their turn. */
const OF_TENANT = 5

/** The same of endpoints that are failing: they get fewer places, as each holds its own until it times out. */
const FAILING_OF_TENANT = 2

/** The most endpoints that are failing, of all tenants. */
const FAILING = 50

/** The lanes that a process holds, by tenant, and the limits of those that it may take. */
export interface Shares {
  limits(): LaneLimits
  take(lane: Lane): void
  /** Gives the place of a lane back; answers whether others may have waited for it. */
  leave(lane: Lane): boolean
}

/** Begins with no lanes. */
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

/** Whether the endpoint did not accept the last event that it was sent. */
function isFailing({ failingSeconds }: Lane): boolean {
  return failingSeconds !== undefined
}
