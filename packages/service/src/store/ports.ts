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

/** Stands for the tenant of writes that belong to none, such as those of API keys. */
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
  /** Whether more follow the last item. */
  more: boolean
}

/**
 * Turns the stored object into the one to store. It is synchronous, has no effects, and may throw, which leaves
 * everything as it was and rejects the call. It runs again with the newer object when another process was faster. If it
 * returns the same object, the outcome is `unchanged`.
 */
export type Change<T> = (current: T) => T

/**
 * The outcome of a write. Only `written` has changed anything, the audit log included.
 *
 * `record` is the object as it is now; after a delete, its last version. `missing`: the object, or the
 * one it would belong to, does not exist. `duplicate`: another one is there already.
 */
export type Outcome<T> =
  | { kind: 'written' | 'unchanged'; record: T }
  | { kind: 'missing' | 'duplicate' }

/**
 * The data that must outlive the process: tenants and all that they hold.
 *
 * Every method is atomic by itself, together with its audit entry, and resolves when the outcome is
 * durable. Objects returned are copies. Methods reject only when the store itself fails. Every
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

  /** Runs a task unless another process runs it exclusively; answers whether it ran. Otherwise as `exclusively`. */
  together?(task: string, work: () => Promise<void>): Promise<boolean>

  /** The master keys in use by any process. Absent in a store of one process. */
  readonly sealingKeys?: SealingKeyStore

  /** Resolves once the store has written something; rejects with the reason when it cannot. */
  check(): Promise<void>

  /** Finishes what is under way, then lets go of files and connections. */
  close(): Promise<void>
}

/** The ids of the master keys under which secrets are sealed. */
export interface SealingKeyStore {
  list(): Promise<string[]>
  add(id: string): Promise<void>
  /** Deletes all other ids: no value is sealed under their keys any more. */
  keepOnly(id: string): Promise<void>
}

/** The mails of a tenant on a day in UTC. */
export interface MailDay {
  /** Days since the epoch. */
  day: number
  /** Mails that the mail server has accepted. */
  sent: number
  givenUp: number
}

/** How many mails were sent and given up each day, by tenant. They are erased with their tenant. */
export interface MailDayStore {
  /** Counts a mail. One of an unknown tenant is not counted. */
  add(tenantId: string, day: number, outcome: MessageOutcome): Promise<void>
  /** The days with mails from the day `from` on, the oldest first. */
  list(tenantId: string, from: number): Promise<MailDay[]>
  /** Deletes the days of all tenants before a day. */
  prune(before: number): Promise<void>
}

/**
 * The number of domains that are reserved for one tenant. The one given up first is released first.
 */
export const MAX_HELD_DOMAINS = 10

/** A deleted tenant whose rows are being erased. */
export interface TenantDeletion {
  id: string
  domain: string
  name: string
  deletedAt: Micros
  /** The number of users that the tenant had, and of those that are not erased yet. */
  users: number
  left: number
}

/**
 * Tenants. The system tenant can be read by its id and its domain, but is in no list and in no total.
 */
/** The image of a tenant, as it is stored. */
export interface StoredLogo {
  readonly hash: string
  readonly bytes: Buffer
}

export interface TenantStore {
  /** `duplicate`: the domain is another tenant's, or is held for another. */
  insert(tenant: Tenant, audit: AuditEntry): Promise<Outcome<Tenant>>
  get(id: string): Promise<Tenant | undefined>
  findByDomain(domain: string): Promise<Tenant | undefined>
  list(reach: Reach, page: Page): Promise<Listing<Tenant>>
  /** Tenants by the beginning of their domain or name, letters of ASCII in any case. */
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
  /** The deleted tenants that still have rows, in the order of their deletion. */
  deletions(): Promise<TenantDeletion[]>
  /**
   * Erases some users of a deleted tenant, and with the last of them everything else, which `audit` notes.
   *
   * @param limit - How many users at most.
   * @returns Whether there is more to erase.
   */
  erase(id: string, limit: number, audit: AuditEntry): Promise<boolean>
  /** Releases a reserved domain. `missing`: it is not reserved. */
  freeDomain(domain: string, audit: AuditEntry): Promise<Outcome<string>>
}

export interface ApplicationStore {
  /** @param check - Is given the tenant at the moment of the write, and throws to refuse it. */
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
    /** As {@link Change}, with the tenant at the moment of the write. */
    change: (current: Application, tenant: Tenant) => Application,
    audit: AuditEntry,
  ): Promise<Outcome<Application>>
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Application>>
}

/** A user to insert together with others. */
export interface NewUser {
  user: User
  credential: Credential | undefined
  /** Instead of a password. */
  legacyPassword?: LegacyPassword | undefined
  audit: AuditEntry
}

/** A user and all credentials of the user, of one moment. */
export interface Account {
  readonly user: User
  /** The user's credentials, in no order. */
  readonly credentials: readonly Credential[]
  /** Read for {@link UserStore.updateAccount} alone. A change that leaves it out leaves it as it is. */
  readonly standing?: Standing
  /**
   * Read for {@link UserStore.updateAccount} alone, if it is asked for. A change that leaves it out leaves it as it is; one that
   * says `null` deletes it.
   */
  readonly legacyPassword?: LegacyPassword | null | undefined
}

/** The effect of an update on the standing of a user. */
export type StandingEffect = 'moved' | 'ruled'

export interface UserStore {
  /**
   * Inserts the user and, for a sign-up, the first credential. `duplicate`: the address is taken, or the account at a
   * provider in the credential belongs to another user.
   */
  insert(user: User, audit: AuditEntry, credential?: Credential): Promise<Outcome<User>>
  /**
   * Inserts users of one tenant at once, each with its credential and its audit entry; answers with
   * the ids of those that were written. The others were not written: the address is taken, perhaps
   * by another one of them, or there is no such tenant.
   */
  insertMany(tenantId: string, batch: readonly NewUser[]): Promise<string[]>
  get(tenantId: string, id: string): Promise<User | undefined>
  /** Those with one of these ids in one of these tenants, of which a caller sees them all. */
  getMany(tenantIds: readonly string[], ids: readonly string[]): Promise<User[]>
  /** Those whose addresses have one of these keys. */
  findByEmails(tenantId: string, emailKeys: readonly string[]): Promise<User[]>
  findByEmail(tenantId: string, emailKey: string): Promise<User | undefined>
  /** A user and all credentials of the user, by the id. */
  getAccount(tenantId: string, id: string): Promise<Account | undefined>
  /** As `getAccount`, by the key of the address. */
  findAccount(tenantId: string, emailKey: string): Promise<Account | undefined>
  /** `undefined` when there is no such tenant. */
  list(tenantId: string, page: Page): Promise<Listing<User> | undefined>
  /** Users of the tenant by a text and by state, or in an order. Of an unknown tenant there are none. */
  search(tenantId: string, query: UserQuery, page: SearchPage): Promise<Found<User>>
  /** Whether texts are found in the middle of an address or a name: PostgreSQL needs `pg_trgm` for it. */
  findsInside(): Promise<boolean>
  /** When these users have logged in last. Those who never have are missing. */
  lastLogins(tenantId: string, ids: readonly string[]): Promise<Map<string, Micros>>
  update(
    tenantId: string,
    id: string,
    change: Change<User>,
    audit: AuditEntry,
    effectOf?: (before: User, after: User) => StandingEffect | undefined,
  ): Promise<Outcome<User>>
  /** The standing of a user. An unknown user has that of a new one. */
  standing(tenantId: string, id: string): Promise<Standing>
  /**
   * Changes a user and the credentials as a whole: for rules about several of them. Credentials that `change` leaves
   * out are deleted, those with new ids inserted; objects that it gives back as they were are not written.
   * `duplicate`: the address, a key or an account at a provider is another user's.
   */
  updateAccount(
    tenantId: string,
    id: string,
    change: Change<Account>,
    audit: AuditEntry,
    reads?: 'legacy_password',
  ): Promise<Outcome<Account>>
  /** Deletes the user with all credentials; answers with the last version. */
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<User>>
}

/** Which credential. */
export type CredentialName = Pick<Credential, 'tenantId' | 'userId' | 'id'>

export interface CredentialStore {
  /**
   * `duplicate`: the user has one of that id, or another user has that account at a provider.
   * With `sessionsValidAfter` it is an operator who does it, which counts as a ruling. It is set on the user in the same step, unless it is undefined or the user has a
   * later one.
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
   * How many users of the tenant have an enabled credential of one of the kinds `lost`, and none of the
   * kinds `kept`. Every credential of the tenant is read for it.
   *
   * @param connectionId - Of accounts at providers, those of this connection alone are lost; others are kept.
   */
  countUsersLosing(
    tenantId: string,
    lost: readonly CredentialKind[],
    kept: readonly CredentialKind[],
    connectionId?: string,
  ): Promise<number>
  /**
   * How many users of the tenant have logged in since a time and have no enabled credential of these kinds. Each of those who
   * have logged in is read for it.
   */
  countActiveWithout(
    tenantId: string,
    kinds: readonly CredentialKind[],
    since: Micros,
  ): Promise<number>
  /** How many users of the tenant have connected an account by the connection. */
  countConnected(tenantId: string, connectionId: string): Promise<number>
  /**
   * Reads at most `limit` credentials of all tenants after `after`, in the order of their keys,
   * whose secret is not sealed under the master key with this id.
   */
  listSealed(
    keyId: string,
    after: CredentialName | undefined,
    limit: number,
  ): Promise<CredentialName[]>
  /** How many passkeys and security keys of the tenant's users were made for another host. */
  countForeignKeys(tenantId: string, rpId: string): Promise<number>
  /** The highest cost of a password in the tenant; `undefined` if none is above the standard cost. */
  highestCost(tenantId: string): Promise<number | undefined>
  /**
   * `change` also says from when on the user's sessions are valid, if that changes. Then it is an operator who changes it,
   * which counts as a ruling.
   */
  update(
    tenantId: string,
    userId: string,
    id: string,
    change: (current: Credential) => { credential: Credential; sessionsValidAfter?: Micros },
    audit: AuditEntry,
  ): Promise<Outcome<Credential>>
  /** For an operator, which counts as a ruling. */
  delete(
    tenantId: string,
    userId: string,
    id: string,
    audit: AuditEntry,
    sessionsValidAfter: Micros,
  ): Promise<Outcome<Credential>>
}

/** The passwords of users in the form of other systems. They come with new users and go with the first login. */
export interface LegacyPasswordStore {
  get(tenantId: string, userId: string): Promise<LegacyPassword | undefined>
  /**
   * The legacy passwords of the tenant whose verification takes the most work: one of each of these kinds, if there is
   * one.
   */
  dearest(tenantId: string, kinds: readonly string[]): Promise<LegacyPassword[]>
  /** As {@link CredentialStore.listSealed}. */
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
  /** All keys, revoked and expired ones included, in the order of creation. */
  list(): Promise<ApiKey[]>
  /** `unchanged`: the key is revoked already. */
  revoke(id: string, at: Micros, audit: AuditEntry): Promise<Outcome<ApiKey>>
  /** Remembers the last use. May be lost in a crash. */
  touch(id: string, at: Micros): Promise<void>
}

export interface SigningKeyStore {
  insert(key: SigningKey, audit: AuditEntry): Promise<Outcome<SigningKey>>
  /** Lists the keys in the order of creation: the last one signs, all of them are published. */
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
  /** `duplicate`: the tenant has one of that name. */
  insert(connection: Connection, audit: AuditEntry): Promise<Outcome<Connection>>
  get(tenantId: string, id: string): Promise<Connection | undefined>
  /** Lists them all, in the order of creation. A tenant has a handful. */
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
  /** Lists them all, in the order of creation. A tenant has a handful. */
  list(tenantId: string): Promise<Webhook[]>
  /** Those of all tenants, deleted ones included. */
  all(): Promise<Webhook[]>
  /** Those of these tenants, deleted ones included. */
  ofTenants(tenantIds: readonly string[]): Promise<Webhook[]>
  update(
    tenantId: string,
    id: string,
    change: Change<Webhook>,
    audit: AuditEntry,
  ): Promise<Outcome<Webhook>>
  /** Deletes it with its deliveries. */
  delete(tenantId: string, id: string, audit: AuditEntry): Promise<Outcome<Webhook>>
}

/** An operator, with its user in the system tenant. */
export interface OperatorUser {
  operator: Operator
  user: User
}

/** How an operator logs in. */
export interface OperatorLogins {
  id: string
  /** The kinds of the credentials that are enabled. */
  kinds: CredentialKind[]
  /** The last login in the audit log. */
  lastLoginAt: Micros | undefined
}

/** Operators of the management console. An operator is deleted together with its user. */
export interface OperatorStore {
  /** `missing`: the system tenant has no such user. */
  insert(operator: Operator, audit: AuditEntry): Promise<Outcome<Operator>>
  get(id: string): Promise<OperatorUser | undefined>
  /** Finds an operator by the hash of an invitation that was not accepted yet. */
  findByInvitation(hash: string): Promise<OperatorUser | undefined>
  /** All operators, in the order of creation. */
  list(): Promise<OperatorUser[]>
  /** How each operator logs in, in the order of {@link OperatorStore.list}. */
  logins(): Promise<OperatorLogins[]>
  update(id: string, change: Change<Operator>, audit: AuditEntry): Promise<Outcome<Operator>>
}

/** A restore of a backup, as the data knows it. */
export interface Restore {
  at: Micros
  /** The last id of the audit log of the backup, and the first one since. Those between were of the log that is lost. */
  ends: number
  begins: number
}

/** A backup that has come back. */
export interface RestoreInput {
  at: Micros
  /** An id that the log that is lost has come to, if it is known. */
  past?: number | undefined
  /** Whether API keys and operators can be used without being confirmed. */
  keepsAccess: boolean
}

/** The restores of backups. A backup knows nothing of later revocations. */
export interface RestoreStore {
  /**
   * Records a restore: earlier logins are no longer valid, API keys and operators are unconfirmed,
   * and webhook endpoints are switched off. The audit log continues with an id that it never had;
   * the entry of the restore gets it.
   */
  note(restore: RestoreInput, audit: AuditEntry): Promise<Outcome<Restore>>
  /** The latest restore. */
  latest(): Promise<Restore | undefined>
  /** The name of the database, which its dumps have as well. */
  logName(): Promise<string>
  /** Confirms an API key or an operator. `missing`: it was not unconfirmed. */
  confirm(id: string, audit: AuditEntry): Promise<Outcome<string>>
}

/**
 * The memory that another server has of the audit log of a database, by its name: a dump that comes back ends before that.
 */
export interface LogMemory {
  /** The highest id of an entry that was kept. */
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

/** The most refused entries that one call of {@link AuditStore.trimRefused} deletes. */
export const TRIM_BATCH = 1_000

/** Entries that follow an id, and how far the log is read with them. */
export interface EntriesAfter {
  entries: StoredAuditEntry[]
  /** Every entry up to this id is among these or those before them. */
  readTo: number
}

/** How many entries of an action a day has. */
export interface DayCount {
  action: string
  /** Days since the epoch, in UTC. */
  day: number
  n: number
}

export interface AuditStore {
  /** Appends an event that is not part of a write, such as a login. {@link UserStore.lastLogins} reads logins. */
  append(entry: AuditEntry): Promise<void>
  /** The details of entries by their ids; entries of release 0.2 and before have none. */
  details(ids: readonly number[]): Promise<ReadonlyMap<number, AuditDetails>>
  list(query: AuditQuery): Promise<StoredAuditEntry[]>
  /** Entries of a tenant, or with `undefined` those of the whole service, by time, the newest first. */
  search(tenantId: string | undefined, filter: AuditFilter, page: AuditPage): Promise<AuditPart>
  /**
   * The number of entries since `from`, by action, of those actions that begin with a text. At most `limit` of each
   * action are counted.
   */
  count(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<Map<string, number>>
  /**
   * The entries since `from` of actions that begin with a text, by action and day. Of each action the latest `limit`
   * are counted.
   */
  countByDay(
    tenantId: string | undefined,
    query: { action: string; from: Micros; limit: number },
  ): Promise<DayCount[]>
  /**
   * The users of a tenant whom a job disabled or enabled, in the order of the job. Leaves out users
   * who were disabled or enabled again since, and deleted ones.
   */
  unchangedSince(
    tenantId: string,
    jobId: string,
    page: { after: number; limit: number },
  ): Promise<{ id: number; userId: string }[]>
  /** The number of users whom a job disabled or enabled, and of those among them who are still as it left them; at most `limit`. */
  countUnchanged(
    tenantId: string,
    jobId: string,
    limit: number,
  ): Promise<{ changed: number; unchanged: number }>
  /** One entry, of the tenant if one is named. */
  get(tenantId: string | undefined, id: number): Promise<StoredAuditEntry | undefined>
  /**
   * Reads at most `limit` entries that follow the one with this id, the oldest first. If several
   * processes write, an entry is returned only when no earlier one can appear any more.
   */
  after(id: number, limit: number): Promise<StoredAuditEntry[]>
  /**
   * Entries of a tenant but for refused requests, as {@link AuditStore.after} has those of all. The system tenant has
   * those that belong to no tenant as well.
   */
  afterOf(tenantId: string, id: number, limit: number): Promise<EntriesAfter>
  /** The id of the last entry that was given out, at least. */
  last(): Promise<number>
  /** The id of the newest committed entry; 0 if there is none. */
  newest(): Promise<number>
  /**
   * The oldest id after which the log has every entry; `undefined` if it has every entry after the
   * given id. Entries are missing if they were pruned or lost by a restore.
   */
  oldestUnless(id: number): Promise<number | undefined>
  /**
   * Whether entries may follow the one with this id, by what this process has heard within the last second; it asks
   * nothing. Where the store cannot tell, `true`.
   */
  mayFollow?(id: number): boolean
  /** Entries of a tenant by time, the oldest first, but for refused requests: those behind `after`, before `to`. */
  between(
    tenantId: string,
    after: { at: Micros; id: number },
    to: Micros,
    limit: number,
  ): Promise<StoredAuditEntry[]>
  /**
   * Deletes the oldest refused entries of an actor, at most {@link TRIM_BATCH}, and leaves the newest
   * `keep`; answers how many were deleted.
   */
  trimRefused(actor: string, keep: number): Promise<number>
  /** Forgets entries from before `before`, and refused ones from before `refusedBefore`; answers how many. */
  prune(before: Micros, refusedBefore: Micros): Promise<number>
}
