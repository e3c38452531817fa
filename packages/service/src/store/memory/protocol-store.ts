import type { Clock } from '../../clock.ts'
import { type Attempts, decideAdmission } from '../attempts.ts'
import {
  type EntryName,
  MAIL_KEPT_SECONDS,
  type ProtocolEntry,
  type ProtocolStore,
  type QueuedMail,
} from '../protocol-store.ts'
import { createMemoryMailQueue } from './mail-queue.ts'

/** Keeps protocol state in the memory of the process, where it ends with it. */
export function createMemoryProtocolStore(options: { clock: Clock }): ProtocolStore {
  const entries = new Map<string, ProtocolEntry>()
  const byGrant = createIndex()
  const byAccount = createIndex()
  const byUid = new Map<string, string>()
  const attempts = new Map<string, Attempts & { forgetAt: number }>()
  const mail = new Map<string, QueuedMail>()
  const now = () => Math.floor(options.clock.now() * 1000)

  function insert(entry: ProtocolEntry): void {
    const name = nameOf(entry)
    remove(name)
    entries.set(name, { ...entry })
    if (entry.uid) byUid.set(join(entry.tenantId, entry.kind, entry.uid), name)
    if (entry.grantId) byGrant.add(join(entry.tenantId, entry.kind, entry.grantId), name)
    if (entry.accountId) byAccount.add(join(entry.tenantId, entry.kind, entry.accountId), name)
  }

  function remove(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    entries.delete(name)
    if (entry.uid) byUid.delete(join(entry.tenantId, entry.kind, entry.uid))
    if (entry.grantId) byGrant.delete(join(entry.tenantId, entry.kind, entry.grantId), name)
    if (entry.accountId) byAccount.delete(join(entry.tenantId, entry.kind, entry.accountId), name)
  }

  function live(name: string): ProtocolEntry | undefined {
    const entry = entries.get(name)
    return entry && entry.expiresAt > now() ? entry : undefined
  }

  return {
    mail: createMemoryMailQueue(mail, now),

    async put(entry) {
      insert(entry)
    },

    async find(name) {
      return copy(live(nameOf(name)))
    },

    async findByUid(tenantId, kind, uid) {
      const name = byUid.get(join(tenantId, kind, uid))
      return name === undefined ? undefined : copy(live(name))
    },

    async listByAccount(tenantId, kind, accountId) {
      return byAccount
        .of(join(tenantId, kind, accountId))
        .map((name) => copy(live(name)))
        .filter((entry) => entry !== undefined)
    },

    async consume(name) {
      const entry = live(nameOf(name))
      if (!entry || entry.consumedAt !== undefined) return false
      entry.consumedAt = now()
      return true
    },

    async takeByUid(tenantId, kind, uid) {
      const name = byUid.get(join(tenantId, kind, uid))
      const entry = name === undefined ? undefined : copy(live(name))
      if (name !== undefined) remove(name)
      return entry
    },

    async delete(name) {
      remove(nameOf(name))
    },

    async deleteByGrant(tenantId, kind, grantId) {
      for (const name of byGrant.of(join(tenantId, kind, grantId))) remove(name)
    },

    async admit(key, limit) {
      const decided = decideAdmission(attempts.get(key), limit, now())
      const forgetAt = decided.attempts.lastAt + limit.forgetSeconds * 1e6
      attempts.set(key, { ...decided.attempts, forgetAt })
      return decided.admission
    },

    async release(key) {
      const made = attempts.get(key)
      if (made && --made.count <= 0) attempts.delete(key)
    },

    async forgive(key) {
      attempts.delete(key)
    },

    async prune() {
      const expired = [...entries].filter(([, entry]) => entry.expiresAt <= now())
      for (const [name] of expired) remove(name)
      for (const [key, made] of attempts) if (made.forgetAt <= now()) attempts.delete(key)
      for (const { id, createdAt } of mail.values()) {
        if (createdAt < now() - MAIL_KEPT_SECONDS * 1e6) mail.delete(id)
      }
      return expired.length
    },

    async close() {},
  }
}

function join(...parts: string[]): string {
  return parts.join('\n')
}

function nameOf(name: EntryName): string {
  return join(name.tenantId, name.kind, name.key)
}

function copy(entry: ProtocolEntry | undefined): ProtocolEntry | undefined {
  return entry && { ...entry }
}

/** From a value to the names of all entries that have it. */
function createIndex() {
  const names = new Map<string, Set<string>>()
  return {
    add(value: string, name: string): void {
      const known = names.get(value)
      if (known) known.add(name)
      else names.set(value, new Set([name]))
    },
    delete(value: string, name: string): void {
      const known = names.get(value)
      if (known?.delete(name) && known.size === 0) names.delete(value)
    },
    of(value: string): string[] {
      return [...(names.get(value) ?? [])]
    },
  }
}
