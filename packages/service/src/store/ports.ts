import type { AuditDetails } from './audit-details.ts'
import type { AuditFilter, AuditPage, AuditPart } from './audit-search.ts'
import type { CursorStore } from './cursors.ts'
import type { DeliveryStore } from './deliveries.ts'
import type { JobStore } from './jobs.ts'
import type { MessageOutcome } from './protocol-store.ts'
import type {
  ApiKey,
  Application,
  AuditEntry,
  Connection,
  Credential,
  CredentialKind,
  LegacyPassword,
  Micros,
  Operator,
  Reach,
  SigningKey,
  SocialCredential,
  Standing,
  StoredAuditEntry,
  Tenant,
  User,
  Webhook,
} from './records.ts'
import type { Found, SearchPage, UserQuery } from './user-search.ts'

/** The tenant id for writes that belong to no tenant, such as those of API keys. */
export const NO_TENANT = ''

/** A part of a list: at most `limit` objects after the one with the id `after`. */
export interface Page {
  after: string | undefined
  limit: number
}

/** One page of a list, in the order of creation. */
export interface Listing<T> {
  /** How many objects the whole list holds. */
  total: number
  items: T[]
  /** Whether there are more objects after the last item. */
  more: boolean
}

/**
 * Turns the stored object into the one to store. It is synchronous, has no effects, and may throw, which leaves
 * everything as it was and rejects the call. It runs again with the newer object when another process was faster. If it
 * returns the same object, the outcome is `unchanged`.
 */
export type Change<T> = (current: T) => T

/**
 * The outcome of a write. Only `written` changed anything, including the audit log.
 *
 * `record` is the object as it is now; after a delete, its last version. `missing`: the object or its parent does not
 * exist. `duplicate`: such an object exists already.
 */
export type Outcome<T> =
  | { kind: 'written' | 'unchanged'; record: T }
  | { kind: 'missing' | 'duplicate' }

/**
 * The data that must outlive the process: tenants and everything in them.
 *
 * Every method is atomic, together with its audit entry, and resolves when the outcome is durable.
 * Returned objects are copies. Methods reject only when the store itself fails. Every
 * implementation passes the suite in `test/store/data-store-suite.ts`.
 */
export interface DataStore {
  readonly tenants: TenantStore
  readonly applications: ApplicationStore
  readonly users: UserStore
  readonly credentials: CredentialStore
  readonly legacyPasswords: LegacyPasswordStore
  readonly apiKeys: ApiKeyStore
  readonly signingKeys: SigningKeyStore
  readonly connections: ConnectionStore
  readonly operators: OperatorStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly audit: AuditStore
  readonly restores: RestoreStore
  readonly cursors: CursorStore
  readonly jobs: JobStore
  readonly mailDays: MailDayStore

  /**
   * A value that changes, at most a second later, when another process has written tenants, applications or keys.
   * Compare it with `===`. It stays the same if no other process can write to the store, and is new each time if the
   * database cannot be reached.
   *
   * @param tenantId - Only writes of this tenant, or of {@link NO_TENANT}, change the value, if the store can
   *   distinguish them.
   */
  foreignVersion?(tenantId?: string): unknown

  /** Runs a task unless another process is running it. Resolves to whether it ran. Absent in a store of one process. */
  exclusively?(task: string, work: () => Promise<void>): Promise<boolean>

  /**
   * Runs a task at the same time as other calls of `together`, but not while another process runs it with
   * `exclusively`. Resolves to whether it ran. Absent in a store of one process.
   */
  together?(task: string, work: () => Promise<void>): Promise<boolean>

  /** The master keys in use by any process. Absent in a store of one process. */
  readonly sealingKeys?: SealingKeyStore

  /** Resolves once the store has written something. Rejects with the reason if it cannot write. */
  check(): Promise<void>

  /** Finishes the work in progress, then closes files and connections. */
  close(): Promise<void>
}

/** The ids of the master keys under which secrets are sealed. */
export interface SealingKeyStore {
  list(): Promise<string[]>
  add(id: string): Promise<void>
  /** Deletes all other ids, because no value is sealed under their keys any more. */
  keepOnly(id: string): Promise<void>
}

/** The mails of a tenant on a day in UTC. */
export interface MailDay {
  /** Days since the epoch. */
  day: number
  /** The number of mails that the mail server has accepted. */
  sent: number
  givenUp: number
}

/** How many mails were sent and given up each day, by tenant. They are erased with their tenant. */
export interface MailDayStore {
  /** Counts a mail. A mail of an unknown tenant is not counted. */
  add(tenantId: string, day: number, outcome: MessageOutcome): Promise<void>
  /** The days with mails, from the day `from` on, the oldest first. */
  list(tenantId: string, from: number): Promise<MailDay[]>
  /** Deletes the days of all tenants before a day. */
  prune(before: number): Promise<void>
}

/**
 * How many domains can be reserved for one tenant. Above that, the one given up first is released.
 */
export const MAX_HELD_DOMAINS = 10

/** A deleted tenant whose rows are being erased. */
export interface TenantDeletion {
  id: string
  domain: string
  name: string
  deletedAt: Micros
  /** The number of users that the tenant had, and the number not yet erased. */
  users: number
  left: number
}

/** The image of a tenant, as stored. */
export interface StoredLogo {
  readonly hash: string
  readonly bytes: Buffer
}

/** Tenants. The system tenant can be read by its id and its domain, but is in no list and not counted. */
export interface TenantStore {
  /** `duplicate`: the domain belongs to another tenant, or is reserved for another. */
  insert(tenant: Tenant, audit: AuditEntry): Promise<Outcome<Tenant>>
  get(id: string): Promise<Tenant | undefined>
  findByDomain(domain: string): Promise<Tenant | undefined>
  list(reach: Reach, page: Page): Promise<Listing<Tenant>>
  /**
   * Tenants whose domain or name begins with a text. Upper and lower case of ASCII letters are the
   * same.
   */
  search(reach: Reach, search: string, page: SearchPage): Promise<Found<Tenant>>
  /**
   * Changes the tenant.
   *
   * @param change - A {@link Change}. It gets the requested applications as they are at the moment of the write.
   * @param options - `heldUntil`: the time until which a domain that the tenant gives up is reserved for it.
   *   `applicationsWith`: a key of metadata; the applications that have it are read. Default: none are. `logo`: the
   *   image is replaced by these bytes, those of the `logo` that the change gives the tenant. Default: it stays.
   */
  update(
    id: string,
    change: (current: Tenant, applications: readonly Application[]) => Tenant,
    audit: AuditEntry,
    options?: {
      heldUntil?: Micros
      applicationsWith?: string
      logo?: { readonly bytes: Buffer | undefined }
    },
  ): Promise<Outcome<Tenant>>
  /** The image that the tenant has uploaded, if any. */
  logo(id: string): Promise<StoredLogo | undefined>
  /**
   * Deletes the tenant; returns its last version. From then on it is in no list, no look-up finds it and no key reaches
   * it. Its rows are erased by {@link TenantStore.erase}. Its domain is held as in {@link TenantStore.update}, but a
   * new tenant may have it.
   */
  delete(id: string, audit: AuditEntry, heldUntil?: Micros): Promise<Outcome<Tenant>>
  /** The deleted tenants that still have rows, in the order of deletion. */
  deletions(): Promise<TenantDeletion[]>
  /**
   * Erases some users of a deleted tenant. With the last of them it erases everything else, and adds `audit`.
   *
   * @param limit - The number of users at most.
   * @returns Whether there is more to erase.
   */
  erase(id: string, limit: number, audit: AuditEntry): Promise<boolean>
  /** Releases a reserved domain. `missing`: the domain is not reserved. */
  freeDomain(domain: string, audit: AuditEntry): Promise<Outcome<string>>
}

export interface ApplicationStore {
  /**
   * @param check - Called with the tenant at the moment of the write. Throws to refuse the write.
   */
  insert(
    application: Application,
    audit: AuditEntry,
    check?: (tenant: Tenant) => void,
  ): Promise<Outcome<Application>>
  get(tenantId: string, id: string): Promise<Application | undefined>
  /** `undefined` when there is no such tenant. */
  list(tenantId: string, page: Page): Promise<Listing<Application> | undefined>
  update(
    tenantId: string,
    id: string,
    /** Like {@link Change}, with the tenant at the moment of the write. */
    change: (current: Application, tenant: Tenant) => Application,
    audit: AuditEntry,
  ): Promise<Outcome<Application>>
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Application>>
}

/** A user to insert, with the credential and the audit entry. */
export interface NewUser {
  user: User
  credential: Credential | undefined
  /** Instead of a password. */
  legacyPassword?: LegacyPassword | undefined
  audit: AuditEntry
}

/** A user with all credentials, read at one moment. */
export interface Account {
  readonly user: User
  /** The user's credentials, in no order. */
  readonly credentials: readonly Credential[]
  /** Present only in {@link UserStore.updateAccount}. If a change leaves it out, it stays as it is. */
  readonly standing?: Standing
  /**
   * Present only in {@link UserStore.updateAccount}, and only if requested. If a change leaves it out, it stays as it
   * is; `null` deletes it.
   */
  readonly legacyPassword?: LegacyPassword | null | undefined
}

/** An event that an update counts in the standing of a user. */
export type StandingEffect = 'moved' | 'ruled'

export interface UserStore {
  /**
   * Inserts the user and, for a sign-up, the first credential. `duplicate`: another user has the address, or the
   * account at a provider in the credential.
   */
  insert(user: User, audit: AuditEntry, credential?: Credential): Promise<Outcome<User>>
  /**
   * Inserts users of one tenant at once, each with a credential and an audit entry. Resolves to the
   * ids of those that were inserted. Left out are users whose address another user has, perhaps one
   * of the same batch, and all users if the tenant does not exist.
   */
  insertMany(tenantId: string, batch: readonly NewUser[]): Promise<string[]>
  get(tenantId: string, id: string): Promise<User | undefined>
  /**
   * The users with these ids in these tenants. The caller must be allowed to see all of these
   * tenants.
   */
  getMany(tenantIds: readonly string[], ids: readonly string[]): Promise<User[]>
  /** The users whose addresses have these keys. */
  findByEmails(tenantId: string, emailKeys: readonly string[]): Promise<User[]>
  findByEmail(tenantId: string, emailKey: string): Promise<User | undefined>
  /** A user with all credentials, by the id. */
  getAccount(tenantId: string, id: string): Promise<Account | undefined>
  /** Like `getAccount`, by the key of the address. */
  findAccount(tenantId: string, emailKey: string): Promise<Account | undefined>
  /** `undefined` when there is no such tenant. */
  list(tenantId: string, page: Page): Promise<Listing<User> | undefined>
  /** Users of the tenant by a text, by state or in an order. Empty if the tenant does not exist. */
  search(tenantId: string, query: UserQuery, page: SearchPage): Promise<Found<User>>
  /** Whether a search finds texts in the middle of an address or a name. PostgreSQL needs `pg_trgm` for it. */
  findsInside(): Promise<boolean>
  /** The last login of each of these users. Users who have never logged in are missing. */
  lastLogins(tenantId: string, ids: readonly string[]): Promise<Map<string, Micros>>
  update(
    tenantId: string,
    id: string,
    change: Change<User>,
    audit: AuditEntry,
    effectOf?: (before: User, after: User) => StandingEffect | undefined,
  ): Promise<Outcome<User>>
  /** The standing of a user. An unknown user has the standing of a new one. */
  standing(tenantId: string, id: string): Promise<Standing>
  /**
   * Changes a user and all credentials together, for rules that look at several of them. Credentials that `change`
   * leaves out are deleted, and those with new ids inserted. Objects that it returns unchanged are not written.
   * `duplicate`: another user has the address, a key or an account at a provider.
   */
  updateAccount(
    tenantId: string,
    id: string,
    change: Change<Account>,
    audit: AuditEntry,
    reads?: 'legacy_password',
  ): Promise<Outcome<Account>>
  /** Deletes the user with all credentials. The outcome has the last version. */
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<User>>
}

/** The key of a credential. */
export type CredentialName = Pick<Credential, 'tenantId' | 'userId' | 'id'>

export interface CredentialStore {
  /**
   * `duplicate`: the user has a credential of this id, or another user has this account at a provider.
   *
   * With `sessionsValidAfter`, the write is an operator's and counts as a ruling. In the same step, the user gets that
   * time, unless it is undefined or the user has a later one.
   */
  insert(
    credential: Credential,
    audit: AuditEntry,
    sessionsValidAfter?: Micros,
  ): Promise<Outcome<Credential>>
  get(tenantId: string, userId: string, id: string): Promise<Credential | undefined>
  /** The account at a provider with this id, of any user. */
  findSocial(tenantId: string, id: string): Promise<SocialCredential | undefined>
  /** `undefined` when there is no such user. */
  list(tenantId: string, userId: string, page: Page): Promise<Listing<Credential> | undefined>
  /**
   * The number of users of the tenant with an enabled credential of one of the kinds in `lost`, and of none in `kept`.
   * It reads every credential of the tenant.
   *
   * @param connectionId - If given, only accounts at this connection are lost; accounts at other providers count as
   *   kept.
   */
  countUsersLosing(
    tenantId: string,
    lost: readonly CredentialKind[],
    kept: readonly CredentialKind[],
    connectionId?: string,
  ): Promise<number>
  /**
   * The number of users of the tenant who have logged in since a time and have no enabled credential of these kinds. It
   * reads every user who has logged in.
   */
  countActiveWithout(
    tenantId: string,
    kinds: readonly CredentialKind[],
    since: Micros,
  ): Promise<number>
  /** The number of users of the tenant with an account at the connection. */
  countConnected(tenantId: string, connectionId: string): Promise<number>
  /**
   * Reads at most `limit` credentials of all tenants, in the order of their keys, after `after`:
   * those with a secret that is not sealed under the master key with this id.
   */
  listSealed(
    keyId: string,
    after: CredentialName | undefined,
    limit: number,
  ): Promise<CredentialName[]>
  /** The number of passkeys and security keys of the tenant that were made for another host. */
  countForeignKeys(tenantId: string, rpId: string): Promise<number>
  /** The highest bcrypt cost in the tenant; `undefined` if no password is above the standard cost. */
  highestCost(tenantId: string): Promise<number | undefined>
  /**
   * `change` may also return the time from which the user's sessions are valid. Then the write is an operator's and
   * counts as a ruling.
   */
  update(
    tenantId: string,
    userId: string,
    id: string,
    change: (current: Credential) => { credential: Credential; sessionsValidAfter?: Micros },
    audit: AuditEntry,
  ): Promise<Outcome<Credential>>
  /** Only for operators: it counts as a ruling. */
  delete(
    tenantId: string,
    userId: string,
    id: string,
    audit: AuditEntry,
    sessionsValidAfter: Micros,
  ): Promise<Outcome<Credential>>
}

/** Password hashes of other systems. They are inserted with new users and deleted at the first login. */
export interface LegacyPasswordStore {
  get(tenantId: string, userId: string): Promise<LegacyPassword | undefined>
  /** The legacy passwords of the tenant that take the most work to verify: at most one of each of these kinds. */
  dearest(tenantId: string, kinds: readonly string[]): Promise<LegacyPassword[]>
  /** Like {@link CredentialStore.listSealed}. */
  listSealed(
    keyId: string,
    after: Omit<CredentialName, 'id'> | undefined,
    limit: number,
  ): Promise<Omit<CredentialName, 'id'>[]>
}

export interface ApiKeyStore {
  /** `missing`: the key names a tenant that does not exist, or the system tenant. */
  insert(key: ApiKey, audit: AuditEntry): Promise<Outcome<ApiKey>>
  /** Finds a key by the SHA-256 of the whole key. */
  findByHash(hash: string): Promise<ApiKey | undefined>
  /** All keys, including revoked and expired ones, in the order of creation. */
  list(): Promise<ApiKey[]>
  /** `unchanged`: the key was revoked before. */
  revoke(id: string, at: Micros, audit: AuditEntry): Promise<Outcome<ApiKey>>
  /** Records the last use. A crash may lose it. */
  touch(id: string, at: Micros): Promise<void>
}

export interface SigningKeyStore {
  insert(key: SigningKey, audit: AuditEntry): Promise<Outcome<SigningKey>>
  /** Lists the keys in the order of creation. The last one signs; all are published. */
  list(tenantId: string): Promise<SigningKey[]>
  update(
    tenantId: string,
    id: string,
    change: Change<SigningKey>,
    audit: AuditEntry,
  ): Promise<Outcome<SigningKey>>
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<SigningKey>>
}

export interface ConnectionStore {
  /** `duplicate`: the tenant has a connection of this name. */
  insert(connection: Connection, audit: AuditEntry): Promise<Outcome<Connection>>
  get(tenantId: string, id: string): Promise<Connection | undefined>
  /** Lists all connections, in the order of creation. A tenant has a few. */
  list(tenantId: string): Promise<Connection[]>
  update(
    tenantId: string,
    id: string,
    change: Change<Connection>,
    audit: AuditEntry,
  ): Promise<Outcome<Connection>>
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Connection>>
}

export interface WebhookStore {
  insert(webhook: Webhook, audit: AuditEntry): Promise<Outcome<Webhook>>
  get(tenantId: string, id: string): Promise<Webhook | undefined>
  /** Lists all endpoints, in the order of creation. A tenant has a few. */
  list(tenantId: string): Promise<Webhook[]>
  /** The endpoints of all tenants, including deleted ones. */
  all(): Promise<Webhook[]>
  /** The endpoints of these tenants, including deleted ones. */
  ofTenants(tenantIds: readonly string[]): Promise<Webhook[]>
  update(
    tenantId: string,
    id: string,
    change: Change<Webhook>,
    audit: AuditEntry,
  ): Promise<Outcome<Webhook>>
  /** Deletes the endpoint with its deliveries. */
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Webhook>>
}

/** An operator, with its user in the system tenant. */
export interface OperatorUser {
  operator: Operator
  user: User
}

/** The ways in which an operator logs in. */
export interface OperatorLogins {
  id: string
  /** The kinds of the enabled credentials. */
  kinds: CredentialKind[]
  /** The last login in the audit log. */
  lastLoginAt: Micros | undefined
}

/** Operators of the management console. An operator is deleted together with its user. */
export interface OperatorStore {
  /** `missing`: the system tenant has no such user. */
  insert(operator: Operator, audit: AuditEntry): Promise<Outcome<Operator>>
  get(id: string): Promise<OperatorUser | undefined>
  /** Finds an operator by the hash of an invitation that is not accepted yet. */
  findByInvitation(hash: string): Promise<OperatorUser | undefined>
  /** All operators, in the order of creation. */
  list(): Promise<OperatorUser[]>
  /** How each operator logs in, in the order of {@link OperatorStore.list}. */
  logins(): Promise<OperatorLogins[]>
  update(id: string, change: Change<Operator>, audit: AuditEntry): Promise<Outcome<Operator>>
}

/** The record of a restore. */
export interface Restore {
  at: Micros
  /**
   * `ends`: the last id of the audit log in the backup. `begins`: the first id after the restore. Ids in between
   * belonged to the lost part of the log.
   */
  ends: number
  begins: number
}

/** A restored backup. */
export interface RestoreInput {
  at: Micros
  /** An id that the lost part of the log reached, if it is known. */
  past?: number | undefined
  /** Whether API keys and operators can be used without confirmation. */
  keepsAccess: boolean
}

/** The restores of backups. A backup does not contain what was revoked later. */
export interface RestoreStore {
  /**
   * Records a restore. Earlier logins are no longer valid, API keys and operators become
   * unconfirmed, and webhook endpoints are switched off. The audit log continues with an id that it
   * never had, which the entry of the restore gets.
   */
  note(restore: RestoreInput, audit: AuditEntry): Promise<Outcome<Restore>>
  /** The latest restore. */
  latest(): Promise<Restore | undefined>
  /** The name of the database. Its dumps have the same name. */
  logName(): Promise<string>
  /** Confirms an API key or an operator. `missing`: it needs no confirmation. */
  confirm(id: string, audit: AuditEntry): Promise<Outcome<string>>
}

/**
 * The highest id of each database's audit log, remembered on another server. The log of a restored dump ends before it.
 */
export interface LogMemory {
  /** Returns the highest id that was stored. */
  read(name: string): Promise<number | undefined>
  keep(name: string, id: number): Promise<void>
  /** Deletes all sessions, grants, tokens and logins in progress. Counts of failed attempts stay. */
  removeState(): Promise<void>
}

/** A filter of audit entries. Missing members do not filter. */
export interface AuditQuery {
  tenantId?: string
  requestId?: string
  target?: string
  /** The number of entries at most. Default 100. */
  limit?: number
}

/** The maximum number of entries that one call of {@link AuditStore.trimRefused} deletes. */
export const TRIM_BATCH = 1_000

/** Entries after an id, and the id up to which the log is read with them. */
export interface EntriesAfter {
  entries: StoredAuditEntry[]
  /** Every entry up to this id is in `entries`, or came before them. */
  readTo: number
}

/** The number of entries of an action on a day. */
export interface DayCount {
  action: string
  /** Days since the epoch, in UTC. */
  day: number
  n: number
}

export interface AuditStore {
  /** Adds an event that is not part of a write, such as a login. {@link UserStore.lastLogins} reads logins. */
  append(entry: AuditEntry): Promise<void>
  /** The details of entries by their ids. Entries of release 0.2 and earlier have none. */
  details(ids: readonly number[]): Promise<ReadonlyMap<number, AuditDetails>>
  list(query: AuditQuery): Promise<StoredAuditEntry[]>
  /** Entries of a tenant, or of the whole service for `undefined`, the newest first. */
  search(tenantId: string | undefined, filter: AuditFilter, page: AuditPage): Promise<AuditPart>
  /**
   * The number of entries since `from` of each action that begins with a text. Each action is counted up to `limit`.
   */
  count(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<Map<string, number>>
  /**
   * The number of entries since `from`, by action and day, of actions that begin with a text. Only the latest `limit`
   * entries of each action are counted.
   */
  countByDay(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<DayCount[]>
  /**
   * The users of a tenant whom a job disabled or enabled, in the order of the job. Left out are
   * deleted users, and users who were disabled or enabled again since.
   */
  unchangedSince(
    tenantId: string,
    jobId: string,
    page: { after: number; limit: number },
  ): Promise<{ id: number; userId: string }[]>
  /**
   * `changed`: the number of users whom a job disabled or enabled, counted up to `limit`. `unchanged`: how many of them
   * still are as the job left them.
   */
  countUnchanged(
    tenantId: string,
    jobId: string,
    limit: number,
  ): Promise<{ changed: number; unchanged: number }>
  /** One entry; if a tenant is given, only an entry of that tenant. */
  get(tenantId: string | undefined, id: number): Promise<StoredAuditEntry | undefined>
  /**
   * Reads at most `limit` entries after the one with this id, the oldest first. If several
   * processes write, an entry is returned only when no earlier one can appear any more.
   */
  after(id: number, limit: number): Promise<StoredAuditEntry[]>
  /**
   * Like {@link AuditStore.after}, for one tenant and without refused requests. For the system tenant, entries of no
   * tenant are included.
   */
  afterOf(tenantId: string, id: number, limit: number): Promise<EntriesAfter>
  /** The highest id that was assigned, or a higher one. */
  last(): Promise<number>
  /** The id of the newest committed entry; 0 if there is none. */
  newest(): Promise<number>
  /**
   * The oldest id after which the log is complete; `undefined` if it is complete after the given
   * id. Entries are missing if they were pruned or lost by a restore.
   */
  oldestUnless(id: number): Promise<number | undefined>
  /**
   * Whether there may be entries after the one with this id, as known in this process for at most a second. Sends no
   * query. Always `true` if the store cannot know.
   */
  mayFollow?(id: number): boolean
  /** Entries of a tenant after `after` and before `to`, without refused requests, the oldest first. */
  between(
    tenantId: string,
    after: { at: Micros; id: number },
    to: Micros,
    limit: number,
  ): Promise<StoredAuditEntry[]>
  /**
   * Deletes the oldest refused entries of an actor, at most {@link TRIM_BATCH} of them. The newest `keep` stay.
   * Resolves to the number deleted.
   */
  trimRefused(actor: string, keep: number): Promise<number>
  /**
   * Deletes entries from before `before`, and refused ones from before `refusedBefore`. Resolves to the number deleted.
   */
  prune(before: Micros, refusedBefore: Micros): Promise<number>
}
