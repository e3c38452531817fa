/** A queue in which tenants take turns. The items of each tenant are in the order of arrival. */
export interface FairLine<T> {
  /**
   * Adds an item. If the queue is full, an item is refused: the last item of the tenant with the
   * most items, if that tenant has more items than `tenantId` would have; otherwise the new item.
   *
   * @returns The refused item; `undefined` if there is room.
   */
  add(tenantId: string, thing: T): T | undefined
  /** The next item, which stays in the queue; `undefined` if the queue is empty. */
  peek(): T | undefined
  /** Removes and returns the next item; `undefined` if the queue is empty. */
  take(): T | undefined
  readonly size: number
}

/** Creates a queue for at most `maxWaiting` items. */
export function createFairLine<T>(maxWaiting: number): FairLine<T> {
  // The map is in the order of the tenants' turns.
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
