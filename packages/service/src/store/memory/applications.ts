import type { ApplicationStore } from '../ports.ts'
import { listPage, type MemoryState } from './state.ts'

/** The applications of a memory store. */
export function createApplications({ tenants, written, copy }: MemoryState): ApplicationStore {
  return {
    async insert(application, audit) {
      const held = tenants.get(application.tenantId)
      if (!held) return { kind: 'missing' }
      held.applications.set(application.id, copy(application))
      return written(application, audit)
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
      if (after === given) return { kind: 'unchanged', record: after }
      applications.set(id, copy(after))
      return written(after, audit)
    },

    async delete(tenantId, id, audit) {
      const applications = tenants.get(tenantId)?.applications
      const last = applications?.get(id)
      if (!applications || !last) return { kind: 'missing' }
      applications.delete(id)
      return written(last, audit)
    },
  }
}
