import type { OperatorStore, OperatorUser } from '../ports.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import type { MemoryState } from './state.ts'

/** The operators of a memory store. */
export function createOperators({ tenants, written, copy }: MemoryState): OperatorStore {
  function find(id: string): OperatorUser | undefined {
    const held = tenants.get(SYSTEM_TENANT_ID)
    const operator = held?.operators.get(id)
    const user = held?.users.get(id)?.user
    return operator && user && copy({ operator, user })
  }
  function all(): OperatorUser[] {
    const ids = [...(tenants.get(SYSTEM_TENANT_ID)?.operators.keys() ?? [])]
    return ids.sort().flatMap((id) => find(id) ?? [])
  }
  return {
    async insert(operator, audit) {
      const held = tenants.get(SYSTEM_TENANT_ID)
      if (!held?.users.get(operator.id)) return { kind: 'missing' }
      if (held.operators.has(operator.id)) return { kind: 'duplicate' }
      held.operators.set(operator.id, copy(operator))
      return written(operator, audit)
    },
    async get(id) {
      return find(id)
    },
    async findByInvitation(hash) {
      return all().find(({ operator }) => operator.invitation?.hash === hash)
    },
    async list() {
      return all()
    },
    async update(id, change, audit) {
      const given = find(id)?.operator
      if (!given) return { kind: 'missing' }
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      tenants.get(SYSTEM_TENANT_ID)?.operators.set(id, copy(after))
      return written(after, audit)
    },
  }
}
