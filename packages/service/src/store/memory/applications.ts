import type { ApplicationStore } from '../ports.ts'
import { listPage, type MemoryState } from './state.ts'

/** The applications of a memory store. */
export function createApplications({ tenants, record, copy }: MemoryState): ApplicationStore {
  return {
    async insert(application, audit) {
      const held = tenants.get(application.tenantId)
      if (!held) return 'orphan'
      held.applications.set(application.id, copy(application))
      record(audit)
      return 'inserted'
    },

    async get(tenantId, id) {
      return copy(tenants.get(tenantId)?.applications.get(id))
    },

    async list(tenantId, page) {
      const held = tenants.get(tenantId)
      return held && listPage(held.applications, page, copy)
    },

    async update(tenantId, id, change, audit) {
      const applications = tenants.get(tenantId)?.applications
      const before = applications?.get(id)
      if (!applications || !before) return { kind: 'missing' }
      const given = copy(before)
      const after = change(given)
      if (after === given) return { kind: 'updated', before: after, after }
      applications.set(id, copy(after))
      record(audit)
      return { kind: 'updated', before: copy(before), after }
    },

    async delete(tenantId, id, audit) {
      const applications = tenants.get(tenantId)?.applications
      const last = applications?.get(id)
      if (!applications || !last) return undefined
      applications.delete(id)
      record(audit)
      return last
    },
  }
}
