import type { AuditDetails } from './audit-details.ts'
import type { AuditFilter, AuditPage, AuditPart } from './audit-search.ts'
import type { CursorStore } from './cursors.ts'
import type { DeliveryStore } from './deliveries.ts'
import type { Job, JobStore } from './jobs.ts'
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

/** The tenant id for writes that belong to no tenant, such as writes of API keys. */
export const NO_TENANT = ''

/**
 * A page of a list: at most `limit` objects after the object with the id `after`, or from the
 * start.
 */
export interface Page {
  after: string | undefined
  limit: number
}

/** One page of a list, in the order of creation. */
export interface Listing<T> {
  /** The number of objects in the whole list. */
  total: number
  items: T[]
  /** Whether there are more objects after the last item. */
  more: boolean
}

/**
 * A function that gets the stored object and returns the object to store. The function is
 * synchronous and has no side effects, because it runs again if another process has changed the
 * object meanwhile. If the function throws, nothing is written and the call rejects. If it returns
 * `current` itself, the outcome is `unchanged`.
 */
export type Change<T> = (current: T) => T

/**
 * The outcome of a write. Only a write with the outcome `written` has changed data or the audit
 * log.
 *
 * `record` is the object as it is now; after a delete, its last version. `missing`: the object or
 * its parent does not exist. `duplicate`: another object has the same id or unique value.
 */
export type Outcome<T> =
  | { kind: 'written' | 'unchanged'; record: T }
  | { kind: 'missing' | 'duplicate' }

/**
 * The store of data that must outlive the process: tenants and everything in them.
 *
 * Every method is atomic, together with its audit entry, and resolves when the outcome is durable.
 * Returned objects are copies. Methods reject only when the store itself fails, or a function of
 * the caller throws. Every implementation passes the suite in `test/store/data-store-suite.ts`.
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
   * A value that changes, at most a second later, when another process has written tenants,
   * applications or keys. Compare two values with `===`. The value stays the same if no other
   * process writes to the store. Each value is new if the database cannot be reached.
   *
   * @param tenantId - Only writes of this tenant, or of {@link NO_TENANT}, change the value, if the
   *   store can distinguish them.
   */
  foreignVersion?(tenantId?: string): unknown

  /**
   * Runs `work` unless another call is running the same task, also in another process. Resolves to
   * whether `work` ran. Absent in a store of one process.
   */
  exclusively?(task: string, work: () => Promise<void>): Promise<boolean>

  /**
   * Runs `work`, unless a call of `exclusively` is running the same task, also in another process.
   * Several calls of `together` can run a task at the same time. Resolves to whether `work` ran.
   * Absent in a store of one process.
   */
  together?(task: string, work: () => Promise<void>): Promise<boolean>

  /** The ids of the master keys of all processes. Absent in a store of one process. */
  readonly sealingKeys?: SealingKeyStore

  /** Resolves if the store accepts writes. Otherwise rejects with the reason. */
  check(): Promise<void>

  /** Finishes the work in progress, then closes files and connections. */
  close(): Promise<void>
}

/** The ids of the master keys under which secrets are sealed. */
export interface SealingKeyStore {
  list(): Promise<string[]>
  add(id: string): Promise<void>
  /** Deletes all other ids. Call it when no value is sealed under another key any more. */
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

/**
 * The numbers of mails that were sent and given up on each day, by tenant. They are erased with the
 * tenant.
 */
export interface MailDayStore {
  /** Counts a mail. A mail of an unknown tenant is not counted. */
  add(tenantId: string, day: number, outcome: MessageOutcome): Promise<void>
  /** The days with mails, from the day `from` on, the oldest first. */
  list(tenantId: string, from: number): Promise<MailDay[]>
  /** Deletes the days of all tenants before a day. */
  prune(before: number): Promise<void>
}

/**
 * The maximum number of domains that are reserved for one tenant. Above it, the reservation that
 * ends first is released.
 */
export const MAX_HELD_DOMAINS = 10

/** A deleted tenant whose rows are being erased. */
export interface TenantDeletion {
  id: string
  domain: string
  name: string
  deletedAt: Micros
  /** `users`: the number of users at the deletion. `left`: the number of users not yet erased. */
  users: number
  left: number
}

/** The image that a tenant has uploaded, with its SHA-256 in hexadecimal. */
export interface StoredLogo {
  readonly hash: string
  readonly bytes: Buffer
}

/**
 * The store of tenants. The system tenant can be read by its id and its domain, but no list and no
 * count includes it.
 */
export interface TenantStore {
  /**
   * `duplicate`: the domain belongs to another tenant, or is reserved for another existing tenant.
   */
  insert(tenant: Tenant, audit: AuditEntry): Promise<Outcome<Tenant>>
  get(id: string): Promise<Tenant | undefined>
  findByDomain(domain: string): Promise<Tenant | undefined>
  list(reach: Reach, page: Page): Promise<Listing<Tenant>>
  /**
   * Finds tenants whose domain or name begins with a text. Upper and lower case of ASCII letters
   * are the same.
   */
  search(reach: Reach, search: string, page: SearchPage): Promise<Found<Tenant>>
  /**
   * Changes the tenant.
   *
   * @param change - Like {@link Change}, with the applications that `applicationsWith` selects at
   *   the moment of the write.
   * @param options - `heldUntil`: the time until which a domain that the tenant gives up stays
   *   reserved for the tenant. Default: it is not reserved. `applicationsWith`: a key of metadata
   *   that selects applications. Default: none. `logo`: the new image, described by `logo` of the
   *   changed tenant, or `undefined` bytes to delete the image. Default: the image stays.
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
   * Deletes the tenant. From now on, no list contains the tenant, no look-up finds it and no API
   * key reaches it. {@link TenantStore.erase} erases its rows later. Until `heldUntil`, a new
   * tenant may take the domain, but an existing tenant may not.
   */
  delete(id: string, audit: AuditEntry, heldUntil?: Micros): Promise<Outcome<Tenant>>
  /** The deleted tenants whose rows are not erased yet, in the order of deletion. */
  deletions(): Promise<TenantDeletion[]>
  /**
   * Erases some users of a deleted tenant. Together with the last users, erases all other data of
   * the tenant and adds `audit`.
   *
   * @param limit - The maximum number of users to erase.
   * @returns Whether there is more to erase.
   */
  erase(id: string, limit: number, audit: AuditEntry): Promise<boolean>
  /** Releases a reserved domain. `missing`: the domain is not reserved. */
  freeDomain(domain: string, audit: AuditEntry): Promise<Outcome<string>>
}

/** The applications of a tenant that have this value as this member of their metadata. */
export interface Alike {
  readonly member: string
  readonly value: string
}

export interface ApplicationStore {
  /**
   * @param check - Called with the tenant and the `alike` applications at the moment of the write,
   *   the earliest first. Throws to refuse the write.
   * @param alike - Default: none.
   */
  insert(
    application: Application,
    audit: AuditEntry,
    check?: (tenant: Tenant, found: readonly Application[]) => void,
    alike?: Alike,
  ): Promise<Outcome<Application>>
  get(tenantId: string, id: string): Promise<Application | undefined>
  /** Resolves to `undefined` if the tenant does not exist. */
  list(tenantId: string, page: Page): Promise<Listing<Application> | undefined>
  update(
    tenantId: string,
    id: string,
    /**
     * Like {@link Change}, with the tenant and the `alike` applications at the moment of the write.
     */
    change: (current: Application, tenant: Tenant, found: readonly Application[]) => Application,
    audit: AuditEntry,
    alike?: Alike,
  ): Promise<Outcome<Application>>
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Application>>
}

/** A user to insert, with the audit entry and, optionally, a credential. */
export interface NewUser {
  user: User
  credential: Credential | undefined
  /** A password hash of another system, for a user without a password credential. */
  legacyPassword?: LegacyPassword | undefined
  audit: AuditEntry
}

/** A user with all credentials, read at one moment. */
export interface Account {
  readonly user: User
  /** The user's credentials, in no order. */
  readonly credentials: readonly Credential[]
  /**
   * Present only in {@link UserStore.updateAccount}. If a change omits the standing, it stays as it
   * is.
   */
  readonly standing?: Standing
  /**
   * Present only in {@link UserStore.updateAccount}, and only if requested by `reads`. If a change
   * omits the legacy password, it stays as it is; `null` deletes it.
   */
  readonly legacyPassword?: LegacyPassword | null | undefined
}

/**
 * An event that an update counts in the {@link Standing} of a user: `moved` in `moves`, `ruled` in
 * `rulings`.
 */
export type StandingEffect = 'moved' | 'ruled'

export interface UserStore {
  /**
   * Inserts the user and, for a sign-up, the first credential. `duplicate`: another user has the
   * address, or the account at a provider that the credential is.
   */
  insert(user: User, audit: AuditEntry, credential?: Credential): Promise<Outcome<User>>
  /**
   * Inserts users of one tenant at once. Skips users whose address another user has, also within
   * the batch, and all users if the tenant does not exist. Resolves to the ids of the inserted
   * users.
   */
  insertMany(tenantId: string, batch: readonly NewUser[]): Promise<string[]>
  get(tenantId: string, id: string): Promise<User | undefined>
  /**
   * The users with these ids in these tenants, in no order. The caller must be allowed to see all
   * of these tenants.
   */
  getMany(tenantIds: readonly string[], ids: readonly string[]): Promise<User[]>
  /** The users whose addresses have these keys. */
  findByEmails(tenantId: string, emailKeys: readonly string[]): Promise<User[]>
  findByEmail(tenantId: string, emailKey: string): Promise<User | undefined>
  /** Finds a user with all credentials by the id. */
  getAccount(tenantId: string, id: string): Promise<Account | undefined>
  /** Like `getAccount`, by the key of the address. */
  findAccount(tenantId: string, emailKey: string): Promise<Account | undefined>
  /** Resolves to `undefined` if the tenant does not exist. */
  list(tenantId: string, page: Page): Promise<Listing<User> | undefined>
  /**
   * Finds users of the tenant by a text and by state. Without a text, lists users in an order.
   * Empty if the tenant does not exist.
   */
  search(tenantId: string, query: UserQuery, page: SearchPage): Promise<Found<User>>
  /**
   * Whether `search` finds texts in the middle of an address or a name. PostgreSQL needs the
   * extension `pg_trgm` for this.
   */
  findsInside(): Promise<boolean>
  /**
   * The time of the last login of each of these users, by user id. Users who have never logged in
   * are missing.
   */
  lastLogins(tenantId: string, ids: readonly string[]): Promise<Map<string, Micros>>
  update(
    tenantId: string,
    id: string,
    change: Change<User>,
    audit: AuditEntry,
    effectOf?: (before: User, after: User) => StandingEffect | undefined,
  ): Promise<Outcome<User>>
  /** The standing of a user. An unknown user has the standing of a new user. */
  standing(tenantId: string, id: string): Promise<Standing>
  /**
   * Changes a user and all credentials together, for rules that look at several credentials.
   * Credentials that `change` leaves out are deleted, and credentials with new ids are inserted.
   * Objects that `change` returns as they were are not written. `duplicate`: another user has the
   * address, a passkey or security key, or an account at a provider.
   *
   * @param reads - `legacy_password` if `change` needs the legacy password. Default: it is not
   *   read.
   * @param jobOf - The job to store in the same step, if any. Called after `change`.
   */
  updateAccount(
    tenantId: string,
    id: string,
    change: Change<Account>,
    audit: AuditEntry,
    reads?: 'legacy_password',
    jobOf?: () => Job | undefined,
  ): Promise<Outcome<Account>>
  /** Deletes the user with all credentials. */
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<User>>
}

/** The primary key of a credential. */
export type CredentialName = Pick<Credential, 'tenantId' | 'userId' | 'id'>

export interface CredentialStore {
  /**
   * `duplicate`: the user has a credential of this id, or another user has this passkey, security
   * key or account at a provider.
   *
   * With `sessionsValidAfter`, the write is an operator's: it counts as a ruling, and the user's
   * sessions from before this time are revoked.
   */
  insert(
    credential: Credential,
    audit: AuditEntry,
    sessionsValidAfter?: Micros,
  ): Promise<Outcome<Credential>>
  get(tenantId: string, userId: string, id: string): Promise<Credential | undefined>
  /** Finds an account at a provider by the id of its credential, among all users. */
  findSocial(tenantId: string, id: string): Promise<SocialCredential | undefined>
  /** Resolves to `undefined` if the user does not exist. */
  list(tenantId: string, userId: string, page: Page): Promise<Listing<Credential> | undefined>
  /**
   * The number of users of the tenant who have an enabled credential of a kind in `lost`, but of no
   * kind in `kept`. This query reads every credential of the tenant.
   *
   * @param connectionId - If given, only accounts at this connection count as `lost`; accounts at
   *   other providers count as `kept`.
   */
  countUsersLosing(
    tenantId: string,
    lost: readonly CredentialKind[],
    kept: readonly CredentialKind[],
    connectionId?: string,
  ): Promise<number>
  /**
   * The number of users of the tenant who have logged in since a time and have no enabled
   * credential of these kinds. This query reads every user who has logged in.
   */
  countActiveWithout(
    tenantId: string,
    kinds: readonly CredentialKind[],
    since: Micros,
  ): Promise<number>
  /** The number of users of the tenant with an account at the connection. */
  countConnected(tenantId: string, connectionId: string): Promise<number>
  /**
   * Lists credentials with a secret that is not sealed under the master key `keyId`: of all
   * tenants, in the order of their primary keys, at most `limit` after `after`.
   */
  listSealed(
    keyId: string,
    after: CredentialName | undefined,
    limit: number,
  ): Promise<CredentialName[]>
  /**
   * The number of passkeys and security keys of the tenant that were made for another host than
   * `rpId`.
   */
  countForeignKeys(tenantId: string, rpId: string): Promise<number>
  /**
   * The highest bcrypt cost of a password in the tenant; `undefined` if no password is above the
   * standard cost.
   */
  highestCost(tenantId: string): Promise<number | undefined>
  /**
   * Changes a credential. If `change` also returns `sessionsValidAfter`, the write is an
   * operator's: it counts as a ruling, and the user's sessions from before this time are revoked.
   */
  update(
    tenantId: string,
    userId: string,
    id: string,
    change: (current: Credential) => { credential: Credential; sessionsValidAfter?: Micros },
    audit: AuditEntry,
  ): Promise<Outcome<Credential>>
  /**
   * Deletes a credential for an operator. The deletion counts as a ruling, and the user's sessions
   * from before `sessionsValidAfter` are revoked.
   */
  delete(
    tenantId: string,
    userId: string,
    id: string,
    audit: AuditEntry,
    sessionsValidAfter: Micros,
  ): Promise<Outcome<Credential>>
}

/**
 * The store of password hashes of other systems. They are inserted with new users, and replaced at
 * the first login.
 */
export interface LegacyPasswordStore {
  get(tenantId: string, userId: string): Promise<LegacyPassword | undefined>
  /**
   * The legacy passwords of the tenant that take the most work to verify: at most one of each given
   * kind.
   */
  dearest(tenantId: string, kinds: readonly string[]): Promise<LegacyPassword[]>
  /** Lists legacy passwords with a sealed key, like {@link CredentialStore.listSealed}. */
  listSealed(
    keyId: string,
    after: Omit<CredentialName, 'id'> | undefined,
    limit: number,
  ): Promise<Omit<CredentialName, 'id'>[]>
}

export interface ApiKeyStore {
  /**
   * `missing`: the reach of the key contains a tenant that does not exist, or the system tenant.
   * `duplicate`: there is a key with this id.
   */
  insert(key: ApiKey, audit: AuditEntry): Promise<Outcome<ApiKey>>
  /** Finds an API key by the SHA-256 of the whole key, in hexadecimal. */
  findByHash(hash: string): Promise<ApiKey | undefined>
  /** All keys, including revoked and expired keys, in the order of creation. */
  list(): Promise<ApiKey[]>
  /** Revokes an API key. `unchanged`: the key was revoked before. */
  revoke(id: string, at: Micros, audit: AuditEntry): Promise<Outcome<ApiKey>>
  /** Records the time of the last use. A crash may lose this time. */
  touch(id: string, at: Micros): Promise<void>
}

export interface SigningKeyStore {
  insert(key: SigningKey, audit: AuditEntry): Promise<Outcome<SigningKey>>
  /** Lists the keys in the order of creation. The last key signs; all keys are published. */
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
  /**
   * `duplicate`: the tenant has a connection of this name.
   *
   * @param check - Called with the connections of the tenant at the moment of the write. Throws to refuse the write.
   */
  insert(
    connection: Connection,
    audit: AuditEntry,
    check?: (existing: readonly Connection[]) => void,
  ): Promise<Outcome<Connection>>
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
  /**
   * @param check - Called with the endpoints of the tenant at the moment of the write. Throws to refuse the write.
   */
  insert(
    webhook: Webhook,
    audit: AuditEntry,
    check?: (existing: readonly Webhook[]) => void,
  ): Promise<Outcome<Webhook>>
  get(tenantId: string, id: string): Promise<Webhook | undefined>
  /** Lists all webhook endpoints of the tenant, in the order of creation. A tenant has a few. */
  list(tenantId: string): Promise<Webhook[]>
  /** The endpoints of all tenants, including deleted tenants. */
  all(): Promise<Webhook[]>
  /** The endpoints of these tenants, which may be deleted tenants. */
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

/** An operator, with the operator's user in the system tenant. */
export interface OperatorUser {
  operator: Operator
  user: User
}

/** The login methods and the last login of an operator. */
export interface OperatorLogins {
  id: string
  /** The kinds of the operator's enabled credentials. */
  kinds: CredentialKind[]
  /** The time of the last login in the audit log; `undefined` if the log has no login. */
  lastLoginAt: Micros | undefined
}

/**
 * Operators of the management console. An operator is deleted together with the operator's user.
 */
export interface OperatorStore {
  /** `missing`: the system tenant has no such user. */
  insert(operator: Operator, audit: AuditEntry): Promise<Outcome<Operator>>
  get(id: string): Promise<OperatorUser | undefined>
  /** Finds an operator by the hash of an invitation that has not been accepted yet. */
  findByInvitation(hash: string): Promise<OperatorUser | undefined>
  /** All operators, in the order of creation. */
  list(): Promise<OperatorUser[]>
  /**
   * The login methods and the last login of each operator, in the order of
   * {@link OperatorStore.list}.
   */
  logins(): Promise<OperatorLogins[]>
  /**
   * Updates an operator.
   *
   * @param jobOf - The job to store in the same step, if any. Called after `change`.
   */
  update(
    id: string,
    change: Change<Operator>,
    audit: AuditEntry,
    jobOf?: () => Job | undefined,
  ): Promise<Outcome<Operator>>
}

/** The record of a restore. */
export interface Restore {
  at: Micros
  /**
   * `ends`: the last id of the audit log in the backup. `begins`: the first id after the restore.
   * Ids between `ends` and `begins` belong to the lost part of the log, or are unused.
   */
  ends: number
  begins: number
}

/** The facts about a restored backup that a restore records. */
export interface RestoreInput {
  at: Micros
  /** An id that the lost part of the audit log had reached, if such an id is known. */
  past?: number | undefined
  /** Whether API keys and operators stay usable without confirmation. */
  keepsAccess: boolean
}

/**
 * The restores of backups. A backup does not contain later revocations, so a restore revokes logins
 * and access.
 */
export interface RestoreStore {
  /**
   * Records a restore. Earlier logins are no longer valid, and webhook endpoints are switched off.
   * Unless `keepsAccess` is set, API keys and operators become unconfirmed. The entry of the
   * restore gets an id that the audit log never had, and the log continues after this id.
   */
  note(restore: RestoreInput, audit: AuditEntry): Promise<Outcome<Restore>>
  /** The latest restore; `undefined` if there was none. */
  latest(): Promise<Restore | undefined>
  /** The random name of the audit log of this database. Backups of the database keep the name. */
  logName(): Promise<string>
  /** Confirms an API key or an operator. `missing`: no object with this id needs confirmation. */
  confirm(id: string, audit: AuditEntry): Promise<Outcome<string>>
}

/**
 * A record of the highest audit log id of each database, on another server. The log of a restored
 * backup ends before this id.
 */
export interface LogMemory {
  /** The highest id stored for the audit log with this name; `undefined` if no id is stored. */
  read(name: string): Promise<number | undefined>
  /** Stores an id, unless a higher id is stored. */
  keep(name: string, id: number): Promise<void>
  /** Deletes all sessions, grants, tokens and logins in progress. Counts of failed attempts stay. */
  removeState(): Promise<void>
}

/** A filter of audit entries. Missing members do not filter. */
export interface AuditQuery {
  tenantId?: string
  requestId?: string
  target?: string
  /** The maximum number of entries. Default 100. */
  limit?: number
}

/** The maximum number of entries that one call of {@link AuditStore.trimRefused} deletes. */
export const TRIM_BATCH = 1_000

/** Entries after an id, and the id up to which the audit log was read. */
export interface EntriesAfter {
  entries: StoredAuditEntry[]
  /**
   * The id after which the next read continues. The log has no further entries for the reader up to
   * this id.
   */
  readTo: number
}

/** The number `n` of entries of an action on a day. */
export interface DayCount {
  action: string
  /** Days since the epoch, in UTC. */
  day: number
  n: number
}

export interface AuditStore {
  /**
   * Adds an event that is not part of a write, such as a login. A successful login is also stored
   * as the last login of its user.
   */
  append(entry: AuditEntry): Promise<void>
  /** The details of entries by their ids. Entries of release 0.2 and earlier have none. */
  details(ids: readonly number[]): Promise<ReadonlyMap<number, AuditDetails>>
  list(query: AuditQuery): Promise<StoredAuditEntry[]>
  /**
   * Finds entries of a tenant, or of the whole service if `tenantId` is `undefined`, the newest
   * first.
   */
  search(tenantId: string | undefined, filter: AuditFilter, page: AuditPage): Promise<AuditPart>
  /**
   * The number of entries since `from`, by action, of actions that begin with the text `action`.
   * Counts at most `limit` entries of each action.
   */
  count(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<Map<string, number>>
  /**
   * The number of entries since `from`, by action and day, of actions that begin with the text
   * `action`. Counts only the latest `limit` entries of each action.
   */
  countByDay(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<DayCount[]>
  /**
   * The users of a tenant whom a job disabled or enabled, with the id of the audit entry: at most
   * `limit` after the id `after`. Leaves out users who were deleted since, or whose account was
   * disabled, enabled or contested since.
   */
  unchangedSince(
    tenantId: string,
    jobId: string,
    page: { after: number; limit: number },
  ): Promise<{ id: number; userId: string }[]>
  /**
   * `changed`: the number of users whom a job disabled or enabled, counted up to `limit`.
   * `unchanged`: the number of these users whom {@link AuditStore.unchangedSince} would list.
   */
  countUnchanged(
    tenantId: string,
    jobId: string,
    limit: number,
  ): Promise<{ changed: number; unchanged: number }>
  /** Reads an entry by its id. If a tenant is given, reads only an entry of this tenant. */
  get(tenantId: string | undefined, id: number): Promise<StoredAuditEntry | undefined>
  /**
   * Reads at most `limit` entries with ids above `id`, the oldest first. If several processes
   * write, an entry is returned only when no entry with a lower id can appear any more.
   */
  after(id: number, limit: number): Promise<StoredAuditEntry[]>
  /**
   * Reads like {@link AuditStore.after}, but only entries of one tenant, and without refused
   * requests. For the system tenant, entries of no tenant are included.
   */
  afterOf(tenantId: string, id: number, limit: number): Promise<EntriesAfter>
  /** The last assigned id. The entry with this id may be missing, or not be committed yet. */
  last(): Promise<number>
  /** The id of the newest committed entry; 0 if the log is empty. */
  newest(): Promise<number>
  /**
   * `undefined` if the log is complete after `id`. Otherwise the oldest id after which no entry was
   * pruned. Entries after `id` are missing if they were pruned or lost by a restore.
   */
  oldestUnless(id: number): Promise<number | undefined>
  /**
   * Whether there may be entries with ids above `id`. Sends no query, so the answer may be a second
   * old. `true` if this is unknown.
   */
  mayFollow?(id: number): boolean
  /**
   * Reads at most `limit` entries of a tenant after the position `after` and before the time `to`,
   * without refused requests, the oldest first.
   */
  between(
    tenantId: string,
    after: { at: Micros; id: number },
    to: Micros,
    limit: number,
  ): Promise<StoredAuditEntry[]>
  /**
   * Deletes the oldest refused entries of an actor, at most {@link TRIM_BATCH} of them. The newest
   * `keep` entries stay. Resolves to the number of deleted entries.
   */
  trimRefused(actor: string, keep: number): Promise<number>
  /**
   * Deletes entries from before `before`, and entries of refused requests from before
   * `refusedBefore`, in batches. Resolves to the number of deleted entries.
   *
   * @param isClosed - Checked before each batch: whether to stop. Default: never.
   */
  prune(before: Micros, refusedBefore: Micros, isClosed?: () => boolean): Promise<number>
}
