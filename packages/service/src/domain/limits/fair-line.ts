/** A queue that takes tenants in turn, and the items of each tenant in the order of arrival. */
export interface FairLine<T> {
  /**
   * Adds an item.
   *
   * @returns If the queue was full, the item that is refused: the last one of the tenant with the
   *   most items, if it has more than this tenant would have; otherwise the new item.
   */
  add(tenantId: string, thing: T): T | undefined
  /** The item whose turn it is. It stays in the queue. */
  peek(): T | undefined
  /** Removes the item whose turn it is, and returns it. */
  take(): T | undefined
  readonly size: number
}

/** Makes a queue for at most `maxWaiting` items. */
export function createFairLine<T>(maxWaiting: number): FairLine<T> {
  // Tenants are in the order of their turns.
  const byTenant = new Map<string, T[]>()
  let size = 0

  function longest(): [tenantId: string, things: T[]] | undefined {
    let found: [string, T[]] | undefined
    for (const one of byTenant) if (one[1].length > (found?.[1].length ?? 0)) found = one
    return found
  }

  function remove(tenantId: string, things: T[], which: 'pop' | 'shift'): T | undefined {
    const thing = things[which]()
    size--
    if (things.length === 0) byTenant.delete(tenantId)
    return thing
  }

  return {
    add(tenantId, thing) {
      const own = byTenant.get(tenantId) ?? []
      let refused: T | undefined
      if (size >= maxWaiting) {
        const most = longest()
        if (!most || most[1].length <= own.length + 1) return thing
        refused = remove(...most, 'pop')
      }
      byTenant.set(tenantId, own)
      own.push(thing)
      size++
      return refused
    },

    peek() {
      const [first] = byTenant
      return first?.[1][0]
    },

    take() {
      const [first] = byTenant
      if (!first) return undefined
      const [tenantId, things] = first
      byTenant.delete(tenantId)
      byTenant.set(tenantId, things)
      return remove(tenantId, things, 'shift')
    },

    get size() {
      return size
    },
  }
}
