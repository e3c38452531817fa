import type { UserStore } from '../ports.ts'
import type { Credential, User } from '../records.ts'
import {
  compareText,
  type RangeScan,
  type SearchRow,
  searchKeys,
  searchRows,
} from '../user-search.ts'
import { createSortedMap } from './sorted-map.ts'
import { listPage, type MemoryState } from './state.ts'

/** The users of a memory store. */
export function createUsers({ tenants, written, copy }: MemoryState): UserStore {
  const users: UserStore = {
    async insert(user, audit, credential) {
      const held = tenants.get(user.tenantId)
      if (!held) return { kind: 'missing' }
      if (held.userIdByEmail.has(user.emailKey)) return { kind: 'duplicate' }
      if (credential && held.userIdBySocial.has(credential.id)) return { kind: 'duplicate' }
      const credentials = createSortedMap<Credential>()
      if (credential) credentials.set(credential.id, copy(credential))
      held.users.set(user.id, { user: copy(user), credentials })
      held.userIdByEmail.set(user.emailKey, user.id)
      if (credential?.kind === 'social') held.userIdBySocial.set(credential.id, user.id)
      return written(user, audit)
    },

    async insertMany(_, batch) {
      const ids: string[] = []
      for (const { user, credential, audit } of batch) {
        const { kind } = await users.insert(user, audit, credential)
        if (kind === 'written') ids.push(user.id)
      }
      return ids
    },

    async findByEmails(tenantId, emailKeys) {
      const found = await Promise.all(emailKeys.map((key) => users.findByEmail(tenantId, key)))
      return found.filter((user) => user !== undefined)
    },

    async get(tenantId, id) {
      return copy(tenants.get(tenantId)?.users.get(id)?.user)
    },

    async findByEmail(tenantId, emailKey) {
      const held = tenants.get(tenantId)
      const id = held?.userIdByEmail.get(emailKey)
      return id === undefined ? undefined : copy(held?.users.get(id)?.user)
    },

    async list(tenantId, page) {
      const held = tenants.get(tenantId)
      return held && listPage(held.users, page, ({ user }) => copy(user))
    },

    async search(tenantId, query, page) {
      const rows = [...(tenants.get(tenantId)?.users.values() ?? [])].map(({ user }) => toRow(user))
      const { items, next } = await searchRows(query, page, async (scans) =>
        scans.map((scan) => scanRows(rows, scan)),
      )
      return { items: items.map(({ user }) => copy(user)), next }
    },

    async update(tenantId, id, change, audit) {
      const held = tenants.get(tenantId)
      const heldUser = held?.users.get(id)
      if (!held || !heldUser) return { kind: 'missing' }
      const before = heldUser.user
      const given = copy(before)
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      const owner = held.userIdByEmail.get(after.emailKey)
      if (owner !== undefined && owner !== id) return { kind: 'duplicate' }
      held.userIdByEmail.delete(before.emailKey)
      held.userIdByEmail.set(after.emailKey, id)
      heldUser.user = copy(after)
      return written(after, audit)
    },

    async delete(tenantId, id, audit) {
      const held = tenants.get(tenantId)
      const last = held?.users.get(id)?.user
      if (!held || !last) return { kind: 'missing' }
      held.users.delete(id)
      held.operators.delete(id)
      held.userIdByEmail.delete(last.emailKey)
      for (const [social, owner] of held.userIdBySocial) {
        if (owner === id) held.userIdBySocial.delete(social)
      }
      return written(last, audit)
    },
  }
  return users
}

interface Row extends SearchRow {
  user: User
}

function toRow(user: User): Row {
  const { id, emailKey, disabled, verifiedAt } = user
  const state = { disabled: Number(disabled), verified_at: verifiedAt ?? null }
  return { id, email_key: emailKey, ...searchKeys(user), ...state, user }
}

function scanRows(rows: readonly Row[], { column, after, before, limit }: RangeScan): Row[] {
  const keyOf = (row: Row) => String(row[column])
  const compare = (row: Row, key: string, id: string) =>
    compareText(keyOf(row), key) || compareText(row.id, id)
  return rows
    .filter((row) => compare(row, after.key, after.id) > 0 && compareText(keyOf(row), before) < 0)
    .sort((a, b) => compare(a, keyOf(b), b.id))
    .slice(0, limit)
}
