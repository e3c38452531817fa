import type { Clock } from '../../clock.ts'
import { admissionAfter, createAttemptsUnderWay } from '../attempts.ts'
import {
  type AttemptLimit,
  type Attempts,
  type EntryName,
  MAIL_KEPT_SECONDS,
  type ProtocolEntry,
  type ProtocolStore,
  type QueuedMessage,
} from '../protocol-store.ts'
import { createMemoryQueue } from './message-queue.ts'

/** Keeps protocol state in the memory of the process, where it ends with it. */
export function createMemoryProtocolStore(options: { clock: Clock }): ProtocolStore {
  const entries = new Map<string, ProtocolEntry>()
  const byGrant = createIndex()
  const byAccount = createIndex()
  const byUid = new Map<string, string>()
  const counted = new Map<string, Attempts & { forgetAt: number }>()
  const underWay = createAttemptsUnderWay()
  const mail = new Map<string, QueuedMessage>()
  const notices = new Map<string, QueuedMessage>()
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

  function attemptsAt(key: string): Attempts | undefined {
    const made = counted.get(key)
    return made && made.forgetAt > now() ? { count: made.count, lastAt: made.lastAt } : undefined
  }

  function count(key: string, limit: AttemptLimit): void {
    const lastAt = now()
    const forgetAt = lastAt + limit.forgetSeconds * 1e6
    counted.set(key, { count: (attemptsAt(key)?.count ?? 0) + 1, lastAt, forgetAt })
  }

  return {
    mail: createMemoryQueue(mail, now),
    notices: createMemoryQueue(notices, now),

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

    async consume(name, payload) {
      const entry = live(nameOf(name))
      if (!entry || entry.consumedAt !== undefined) return false
      if (payload !== undefined && entry.payload !== payload) return false
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
      const admission = admissionAfter(attemptsAt(key), limit, now())
      if (admission.kind === 'admitted') count(key, limit)
      return admission
    },

    async attempts(key) {
      return attemptsAt(key)
    },

    async beginAttempt(...given) {
      return underWay.begin(given, attemptsAt(given[0]), now())
    },

    async endAttempt(key, limit, attempt, outcome) {
      if (outcome === 'failed') count(key, limit)
      else if (outcome === 'forgiven') counted.delete(key)
      underWay.end(key, attempt)
    },

    async forgive(key) {
      counted.delete(key)
    },

    async forgiveAll(prefix) {
      for (const key of counted.keys()) if (key.startsWith(prefix)) counted.delete(key)
    },

    async prune() {
      const expired = [...entries].filter(([, entry]) => entry.expiresAt <= now())
      for (const [name] of expired) remove(name)
      for (const [key, made] of counted) if (made.forgetAt <= now()) counted.delete(key)
      for (const queue of [mail, notices]) {
        for (const { id, createdAt } of queue.values()) {
          if (createdAt < now() - MAIL_KEPT_SECONDS * 1e6) queue.delete(id)
        }
      }
      return expired.length
    },

    check: async () => {},

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
