import type { Listing, Outcome, Page } from '../ports.ts'
import type {
  ApiKey,
  Application,
  AuditEntry,
  Connection,
  Credential,
  Micros,
  Operator,
  SigningKey,
  StoredAuditEntry,
  Tenant,
  User,
} from '../records.ts'
import { createSortedMap, type SortedMap } from './sorted-map.ts'

/** A user with their credentials and records. */
export interface HeldUser {
  user: User
  credentials: SortedMap<Credential>
}

/** A tenant with its objects. */
export interface HeldTenant {
  tenant: Tenant
  applications: SortedMap<Application>
  users: SortedMap<HeldUser>
  /** User ids by the form in which addresses are compared. */
  userIdByEmail: Map<string, string>
  /** User ids by the ids of their accounts at providers. */
  userIdBySocial: Map<string, string>
  signingKeys: SigningKey[]
  connections: SortedMap<Connection>
  /** Of the system tenant alone, by the id of the user. */
  operators: Map<string, Operator>
}

/** The state that the parts of the memory store share. */
export interface MemoryState {
  tenants: SortedMap<HeldTenant>
  tenantIdByDomain: Map<string, string>
  /** Domains that tenants gave up, in the order in which they did. */
  heldDomains: Map<string, { tenantId: string; until: Micros }>
  apiKeys: Map<string, ApiKey>
  audit: StoredAuditEntry[]
  record(entry: AuditEntry): void
  /** Audits what was just done to the record. */
  written<T>(record: T, audit: AuditEntry): Outcome<T>
  /** Records are plain data; copies keep callers from changing what is stored. */
  copy<T>(value: T): T
}

/** An empty store. */
export function createState(): MemoryState {
  const audit: StoredAuditEntry[] = []
  let lastId = 0
  function record(entry: AuditEntry): void {
    audit.push({ ...entry, id: ++lastId })
    if (audit.length > 2 * MAX_AUDIT_ENTRIES) audit.splice(0, MAX_AUDIT_ENTRIES)
  }
  return {
    tenants: createSortedMap(),
    tenantIdByDomain: new Map(),
    heldDomains: new Map(),
    apiKeys: new Map(),
    audit,
    record,
    written(record_, entry) {
      record(entry)
      return { kind: 'written', record: structuredClone(record_) }
    },
    copy: (value) => structuredClone(value),
  }
}

/** Memory is bounded: the oldest entries go once there are twice as many. */
const MAX_AUDIT_ENTRIES = 50_000

/** One page of a sorted map. */
export function listPage<H, T>(map: SortedMap<H>, page: Page, read: (held: H) => T): Listing<T> {
  const found = map.page(page.after, page.limit + 1)
  return {
    total: map.size,
    items: found.slice(0, page.limit).map(read),
    more: found.length > page.limit,
  }
}
