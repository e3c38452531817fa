import { searchEntries } from '../audit-search.ts'
import type { ApiKeyStore, AuditStore, DataStore, SigningKeyStore } from '../ports.ts'
import type { ApiKey, AuditEntry, SigningKey, StoredAuditEntry } from '../records.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { createApplications } from './applications.ts'
import { createConnections } from './connections.ts'
import { createCredentials } from './credentials.ts'
import { createOperators } from './operators.ts'
import { createState, type MemoryState } from './state.ts'
import { createTenants } from './tenants.ts'
import { createUsers } from './users.ts'

/** A data store that forgets everything with the process: for tests and development. */
export function createMemoryDataStore(): DataStore {
  const state = createState()
  return {
    tenants: createTenants(state),
    applications: createApplications(state),
    users: createUsers(state),
    credentials: createCredentials(state),
    apiKeys: createApiKeys(state),
    signingKeys: createSigningKeys(state),
    connections: createConnections(state),
    operators: createOperators(state),
    audit: createAudit(state),
    foreignVersion: () => 0,
    check: async () => {},
    close: async () => {},
  }
}

function createApiKeys({ tenants, apiKeys: keys, written, copy }: MemoryState): ApiKeyStore {
  const keyByHash = new Map<string, ApiKey>()
  return {
    async insert(key, audit) {
      const isUnknown = (id: string) => id === SYSTEM_TENANT_ID || !tenants.get(id)
      if (key.reach !== 'all' && key.reach.some(isUnknown)) return { kind: 'missing' }
      const stored = copy(key)
      keys.set(key.id, stored)
      keyByHash.set(key.hash, stored)
      return written(key, audit)
    },
    async findByHash(hash) {
      return copy(keyByHash.get(hash))
    },
    async list() {
      return [...keys.values()].map(copy)
    },
    async revoke(id, at, audit) {
      const key = keys.get(id)
      if (!key) return { kind: 'missing' }
      if (key.revokedAt !== undefined) return { kind: 'unchanged', record: copy(key) }
      key.revokedAt = at
      return written(key, audit)
    },
    async touch(id, at) {
      const key = keys.get(id)
      if (key) key.lastUsedAt = at
    },
  }
}

function createSigningKeys({ tenants, written, copy }: MemoryState): SigningKeyStore {
  function keysOf(tenantId: string): SigningKey[] {
    return tenants.get(tenantId)?.signingKeys ?? []
  }
  return {
    async insert(key, audit) {
      const held = tenants.get(key.tenantId)
      if (!held) return { kind: 'missing' }
      if (held.signingKeys.some(({ id }) => id === key.id)) return { kind: 'duplicate' }
      held.signingKeys.push(copy(key))
      return written(key, audit)
    },
    async list(tenantId) {
      return keysOf(tenantId).map(copy)
    },
    async update(tenantId, id, change, audit) {
      const keys = keysOf(tenantId)
      const index = keys.findIndex((one) => one.id === id)
      if (index < 0) return { kind: 'missing' }
      const given = copy(keys[index] as SigningKey)
      const after = change(given)
      if (after === given) return { kind: 'unchanged', record: after }
      keys[index] = copy(after)
      return written(after, audit)
    },
    async delete(tenantId, id, audit) {
      const keys = keysOf(tenantId)
      const key = keys.find((one) => one.id === id)
      if (!key) return { kind: 'missing' }
      keys.splice(keys.indexOf(key), 1)
      return written(key, audit)
    },
  }
}

function createAudit({ audit, record, copy }: MemoryState): AuditStore {
  return {
    async append(entry: AuditEntry, atMost) {
      record(entry)
      if (atMost === undefined) return
      const refused = audit.filter((one) => isRefused(one) && one.actor === entry.actor)
      for (const one of refused.slice(0, Math.max(0, refused.length - atMost))) {
        audit.splice(audit.indexOf(one), 1)
      }
    },
    async list({ tenantId, requestId, target, limit = 100 }) {
      const found: StoredAuditEntry[] = []
      for (let i = audit.length - 1; i >= 0 && found.length < limit; i--) {
        const entry = audit[i] as StoredAuditEntry
        if (tenantId !== undefined && entry.tenantId !== tenantId) continue
        if (requestId !== undefined && entry.requestId !== requestId) continue
        if (target !== undefined && entry.target !== target) continue
        found.push(copy(entry))
      }
      return found
    },
    search: (tenantId, filter, page) =>
      searchEntries(filter, page, async ({ from, before, target, limit }) =>
        audit
          .filter((entry) => isOf(entry, tenantId) && entry.at >= from)
          .filter(({ at, id }) => at < before.at || (at === before.at && id < before.id))
          .filter((entry) => isAbout(entry, target))
          .sort((a, b) => b.at - a.at || b.id - a.id)
          .slice(0, limit)
          .map(copy),
      ),
    async get(tenantId, id) {
      return copy(audit.find((entry) => entry.id === id && isOf(entry, tenantId)))
    },
    async after(id, limit) {
      return audit
        .filter((entry) => entry.id > id)
        .slice(0, limit)
        .map(copy)
    },
    async prune(before, refusedBefore) {
      const kept = audit.filter(
        (entry) => entry.at >= before && !(isRefused(entry) && entry.at < refusedBefore),
      )
      const forgotten = audit.length - kept.length
      audit.splice(0, audit.length, ...kept)
      return forgotten
    },
  }
}

function isOf(entry: AuditEntry, tenantId: string | undefined): boolean {
  return tenantId === undefined || entry.tenantId === tenantId
}

function isAbout({ target }: AuditEntry, about: string | undefined): boolean {
  if (about === undefined || target === about) return true
  return about.endsWith('/') && `${target}/`.startsWith(about)
}

function isRefused({ outcome }: AuditEntry): boolean {
  return outcome === 'refused'
}
