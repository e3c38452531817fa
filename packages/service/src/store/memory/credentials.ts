import { pageOfCredentials } from '../credential-order.ts'
import type { CredentialStore } from '../ports.ts'
import type { Micros, User } from '../records.ts'
import type { MemoryState } from './state.ts'

/** The credentials of a memory store. */
export function createCredentials({ tenants, written, copy }: MemoryState): CredentialStore {
  function heldUser(tenantId: string, userId: string) {
    return tenants.get(tenantId)?.users.get(userId)
  }

  function endSessions({ user }: { user: User }, at: Micros): void {
    user.sessionsValidAfter = Math.max(user.sessionsValidAfter, at)
  }

  return {
    async insert(credential, audit, sessionsValidAfter) {
      const held = heldUser(credential.tenantId, credential.userId)
      if (!held) return { kind: 'missing' }
      if (held.credentials.get(credential.id)) return { kind: 'duplicate' }
      const owners = tenants.get(credential.tenantId)?.userIdBySocial
      if (owners?.has(credential.id)) return { kind: 'duplicate' }
      if (credential.kind === 'social') owners?.set(credential.id, credential.userId)
      held.credentials.set(credential.id, copy(credential))
      if (sessionsValidAfter !== undefined) endSessions(held, sessionsValidAfter)
      return written(credential, audit)
    },

    async get(tenantId, userId, id) {
      return copy(heldUser(tenantId, userId)?.credentials.get(id))
    },

    async findSocial(tenantId, id) {
      const owner = tenants.get(tenantId)?.userIdBySocial.get(id)
      const found = owner && heldUser(tenantId, owner)?.credentials.get(id)
      return found && found.kind === 'social' ? copy(found) : undefined
    },

    async list(tenantId, userId, page) {
      const held = heldUser(tenantId, userId)
      return held && copy(pageOfCredentials([...held.credentials.values()], page))
    },

    async countUsersLosing(tenantId, lost, kept) {
      const users = [...(tenants.get(tenantId)?.users.values() ?? [])]
      return users.filter(({ credentials }) => {
        const kinds = [...credentials.values()].flatMap((one) => (one.disabled ? [] : [one.kind]))
        return (
          kinds.some((kind) => lost.includes(kind)) && !kinds.some((kind) => kept.includes(kind))
        )
      }).length
    },

    async countConnected(tenantId, connectionId) {
      const users = [...(tenants.get(tenantId)?.users.values() ?? [])]
      return users.filter(({ credentials }) =>
        [...credentials.values()].some(
          (one) => one.kind === 'social' && one.connectionId === connectionId,
        ),
      ).length
    },

    async countForeignKeys(tenantId, rpId) {
      const users = [...(tenants.get(tenantId)?.users.values() ?? [])]
      const all = users.flatMap(({ credentials }) => [...credentials.values()])
      return all.filter((one) => one.kind === 'hardware' && one.rpId !== rpId).length
    },

    async update(tenantId, userId, id, change, audit) {
      const held = heldUser(tenantId, userId)
      const before = held?.credentials.get(id)
      if (!held || !before) return { kind: 'missing' }
      const given = copy(before)
      const { credential, sessionsValidAfter } = change(given)
      if (credential === given) return { kind: 'unchanged', record: given }
      const after = { ...credential, rev: before.rev + 1 }
      held.credentials.set(id, copy(after))
      if (sessionsValidAfter !== undefined) endSessions(held, sessionsValidAfter)
      return written(after, audit)
    },

    async delete(tenantId, userId, id, audit, sessionsValidAfter) {
      const held = heldUser(tenantId, userId)
      const last = held?.credentials.get(id)
      if (!held || !last) return { kind: 'missing' }
      held.credentials.delete(id)
      tenants.get(tenantId)?.userIdBySocial.delete(id)
      endSessions(held, sessionsValidAfter)
      return written(last, audit)
    },
  }
}
