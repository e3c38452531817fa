import type { ConnectionStore } from '../ports.ts'
import type { Connection } from '../records.ts'
import type { MemoryState } from './state.ts'

/** The connections of a memory store. */
export function createConnections({ tenants, written, copy }: MemoryState): ConnectionStore {
  function all(tenantId: string): Connection[] {
    return tenants.get(tenantId)?.connections.page(undefined, Number.MAX_SAFE_INTEGER) ?? []
  }

  function isTaken({ tenantId, id, name }: Connection): boolean {
    return all(tenantId).some((one) => one.name === name && one.id !== id)
  }

  return {
    async insert(connection, audit) {
      const held = tenants.get(connection.tenantId)
      if (!held) return { kind: 'missing' }
      if (isTaken(connection)) return { kind: 'duplicate' }
      held.connections.set(connection.id, copy(connection))
      return written(connection, audit)
    },
    async get(tenantId, id) {
      return copy(tenants.get(tenantId)?.connections.get(id))
    },
    async list(tenantId) {
      const inOrder = (a: Connection, b: Connection) =>
        a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
      return all(tenantId).map(copy).sort(inOrder)
    },
    async update(tenantId, id, change, audit) {
      const held = tenants.get(tenantId)
      const before = held?.connections.get(id)
      if (!held || !before) return { kind: 'missing' }
      const given = copy(before)
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      if (isTaken(after)) return { kind: 'duplicate' }
      held.connections.set(id, copy(after))
      return written(after, audit)
    },
    async delete(tenantId, id, audit) {
      const held = tenants.get(tenantId)
      const last = held?.connections.get(id)
      if (!held || !last) return { kind: 'missing' }
      held.connections.delete(id)
      return written(last, audit)
    },
  }
}
