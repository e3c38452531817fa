import { hash } from 'node:crypto'
import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros } from './records.ts'

/**
 * A record of the protocol that expires: a session, a code, a token, an interaction.
 *
 * The store never gets a bearer secret: `key` is its hash, and `payload` does not contain it.
 */
export interface ProtocolEntry {
  tenantId: string
  /** The kind of entry, such as `Session` or `AuthorizationCode`. */
  kind: string
  /** Unique among the tenant's entries of that kind. */
  key: string
  /** JSON. */
  payload: string
  expiresAt: Micros
  /** The grant that the entry belongs to. Revoking the grant deletes the entry. */
  grantId?: string | undefined
  /** A second name, which is public. */
  uid?: string | undefined
  /** The user whom the entry belongs to. */
  accountId?: string | undefined
  /**
   * When the entry was used. A used entry stays until it expires, or for `keepSeconds`, so that a second use is
   * noticed.
   */
  consumedAt?: Micros | undefined
}

/** The key of an entry; see {@link ProtocolEntry}. */
export type EntryName = Pick<ProtocolEntry, 'tenantId' | 'kind' | 'key'>

/**
 * A step of {@link ProtocolStore.write}: inserts or replaces an entry, removes one, or marks one as used, which
 * succeeds for exactly one caller. A used entry expires after `keepSeconds` at the latest. Default: its expiry stays.
 */
export type Change =
  | { kind: 'put'; entry: ProtocolEntry }
  | { kind: 'delete'; name: EntryName }
  | { kind: 'consume'; name: EntryName; keepSeconds?: number | undefined }

/**
 * If an entry that is found has at most `left` seconds to live, it then lives for `seconds`. Only for entries without a
 * grant, account or second name.
 */
export interface Renewal {
  left: number
  seconds: number
}

/** The place of an entry in a list. Only the store can interpret it. */
export interface EntryPlace {
  at: number
  key: string
}

/** The name of an entry whose id is a bearer secret. */
export function entryName(tenantId: string, kind: string, id: string): EntryName {
  return { tenantId, kind, key: hash('sha256', id, 'base64url') }
}

/**
 * A limit for attempts. The first `free` attempts pass. After each further attempt, the next has to
 * wait: `baseSeconds` at first, then twice as long each time, up to `maxSeconds`. Attempts are
 * forgotten `forgetSeconds` after the last one.
 */
export interface AttemptLimit {
  free: number
  baseSeconds: number
  maxSeconds: number
  forgetSeconds: number
}

/** Attempts that are counted and not yet forgotten. */
export interface Attempts {
  count: number
  lastAt: Micros
}

/** Whether an attempt may begin. If not, how long to wait. */
export type Admission = { kind: 'admitted' } | { kind: 'refused'; retryAfterSeconds: number }

/** The attempts that are counted under a key. */
export interface AttemptCounter {
  readonly key: string
  readonly limit: AttemptLimit
}

/**
 * Whether an attempt may begin. If not, `counter` is the index of the counter that refuses it. `busy`: the attempts in
 * progress could use up the free ones if they failed.
 */
export type Beginning =
  | { kind: 'admitted' }
  | { kind: 'refused'; counter: number; retryAfterSeconds: number }
  | { kind: 'busy'; counter: number }

/**
 * The effect of an attempt on its counters: it counts as a failure, it changes nothing, or it
 * deletes the earlier attempts.
 */
export type AttemptOutcome = 'failed' | 'forgiven' | 'unchanged'

/** A message to be sent. It is encrypted, because a link in it can open an account. */
export interface QueuedMessage {
  id: string
  tenantId: string
  createdAt: Micros
  /** The time of the next attempt to send it. */
  dueAt: Micros
  /** The number of failed attempts. */
  attempts: number
  /** The encrypted content. Empty once the message has been sent or given up. */
  sealed: string
  /** The kind, such as `reset`; `undefined` for a message without a recipient. */
  kind?: string | undefined
  /** The id of the recipient, if it is a user. */
  userId?: string | undefined
  /** The last answer of the mail server. */
  answer?: string | undefined
  /** The outcome, and its time. */
  outcome?: MessageOutcome | undefined
  endedAt?: Micros | undefined
}

/** The due time of a message that must not be sent: captured or finished. */
export const NEVER: Micros = Number.MAX_SAFE_INTEGER

/** The outcome of a message. */
export type MessageOutcome = 'sent' | 'given_up'

/** The state of a message. `captured`: it will not be sent. */
export type MessageState = MessageOutcome | 'waiting' | 'captured'

/** The state of a message. */
export function messageState({
  outcome,
  dueAt,
}: Pick<QueuedMessage, 'outcome' | 'dueAt'>): MessageState {
  return outcome ?? (dueAt === NEVER ? 'captured' : 'waiting')
}

/** The condition for messages in each state, exactly as in the indexes. */
export const STATE_CONDITIONS: Readonly<Record<MessageState, string>> = {
  sent: "outcome = 'sent'",
  given_up: "outcome = 'given_up'",
  waiting: `outcome is null and due_at < ${NEVER}`,
  captured: `outcome is null and due_at = ${NEVER}`,
}

/** A filter of messages, and the place after which the list begins. The newest come first. */
export interface MessageQuery {
  userId?: string | undefined
  state?: MessageState | undefined
  after: { createdAt: Micros; id: string } | undefined
  limit: number
}

/** How long captured mail is kept, and a notice at most. */
export const MAIL_KEPT_SECONDS = 7 * 86_400

/** A message to queue. */
export type NewMessage = Pick<QueuedMessage, 'id' | 'tenantId' | 'sealed' | 'kind' | 'userId'> & {
  /** Whether the message is only kept for reading, and never sent. */
  isCaptured?: boolean
}

/** A message that this process is to send. */
export interface ClaimedMessage extends QueuedMessage {
  /** How long ago it was queued, in seconds. */
  age: number
}

/**
 * Messages that wait to be sent, and mail that is captured instead. All times are from the clock of the queue, because
 * the clocks of processes may differ.
 */
export interface MessageQueue {
  /** Queues a message, which is due at once. */
  add(message: NewMessage): Promise<QueuedMessage>
  /** Whether something may have been due within the last second. Without this method, the store is always asked. */
  mayBeDue?(): boolean
  /** Takes up to `limit` due messages. No other process gets them for `seconds`. */
  claim(limit: number, seconds: number): Promise<ClaimedMessage[]>
  /**
   * Extends the lease of claimed messages to `seconds` from now. Messages that have ended or were given back stay as
   * they are.
   */
  renew(
    messages: readonly Pick<ClaimedMessage, 'id' | 'attempts'>[],
    seconds: number,
  ): Promise<void>
  /**
   * Corrects times after a clock was set back: messages become due that wait longer than the seconds in `waits` for
   * their number of attempts. The last item is for all further attempts.
   *
   * @returns The number of messages.
   */
  recall(waits: readonly number[]): Promise<number>
  /**
   * Lets a claimed message wait for `seconds` after a failure. `answer`: the response of the other
   * side.
   */
  retry(id: string, seconds: number, answer?: string): Promise<void>
  /**
   * Stores that a message has ended, and deletes its content.
   *
   * @returns `true` for exactly one caller, `false` if it had ended before.
   */
  end(id: string, outcome: MessageOutcome, answer?: string): Promise<boolean>
  remove(id: string): Promise<void>
  /** Replaces the sealed content of messages by the result of `change`. `undefined` keeps it. */
  reseal(change: (id: string, sealed: string) => string | undefined): Promise<void>
  /** Messages of all tenants that wait to be sent, the next one first, without their content. */
  waiting(limit: number): Promise<QueuedMessage[]>
  /** The number of messages of all tenants that wait to be sent, and the age of the oldest. */
  backlog(): Promise<Backlog>
  /** The tenant's messages that have not ended, the newest first. */
  list(tenantId: string, limit: number): Promise<QueuedMessage[]>
  /** The tenant's messages with a recipient, including those that have ended, the newest first. */
  find(tenantId: string, query: MessageQuery): Promise<QueuedMessage[]>
  get(tenantId: string, id: string): Promise<QueuedMessage | undefined>
  /** The number of messages of a tenant, or of all, that were queued in the last `seconds`. Counts up to `limit`. */
  count(tenantId: string | undefined, seconds: number, limit: number): Promise<number>
}

/** The columns of a message in an SQL store. */
export interface MessageRow {
  id: string
  tenant_id: string
  created_at: number
  due_at: number
  attempts: number
  sealed: string
  kind: string | null
  user_id: string | null
  answer: string | null
  outcome: MessageOutcome | null
  ended_at: number | null
}

/** The columns that are read of a message. */
export const MESSAGE_COLUMNS =
  'id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id, answer, outcome, ended_at'

/** The message in a row. */
export function toMessage(row: MessageRow): QueuedMessage {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    dueAt: row.due_at,
    attempts: row.attempts,
    sealed: row.sealed,
    kind: row.kind ?? undefined,
    userId: row.user_id ?? undefined,
    answer: row.answer ?? undefined,
    outcome: row.outcome ?? undefined,
    endedAt: row.ended_at ?? undefined,
  }
}

/** The queues of messages, for a protocol store that keeps everything else on another server. */
export interface MessageQueues {
  readonly mail: MessageQueue
  /** Notices to applications that sessions have ended. */
  readonly notices: MessageQueue
  /** Deletes messages that are more than a week old. */
  prune(): Promise<void>
}

/**
 * The store of data that expires: records of OpenID Connect such as codes and sessions, counted attempts,
 * and mail that waits to be sent.
 *
 * Every method is atomic. Expired data is never returned. Returned objects are copies. Methods reject only when the store itself fails. Every implementation passes the suite in
 * `test/issuer/protocol-store-suite.ts`.
 */
export interface ProtocolStore extends Pick<MessageQueues, 'mail' | 'notices'> {
  /** Inserts the entry, or replaces the one with the same key. */
  put(entry: ProtocolEntry): Promise<void>
  /**
   * Replaces an entry unless it has changed since the caller read it.
   *
   * @param payload - The payload that was read.
   * @returns `false` if it was replaced, used or removed meanwhile, or has expired.
   */
  replace(entry: ProtocolEntry, payload: string): Promise<boolean>
  /**
   * Finds an entry.
   *
   * @param renewal - Extends the lifetime of the entry in the same step.
   * @returns The entry as it was before the extension.
   */
  find(name: EntryName, renewal?: Renewal): Promise<ProtocolEntry | undefined>
  /** Finds several, in the same order. */
  findAll(names: readonly EntryName[]): Promise<(ProtocolEntry | undefined)[]>
  findByUid(tenantId: string, kind: string, uid: string): Promise<ProtocolEntry | undefined>
  listByAccount(tenantId: string, kind: string, accountId: string): Promise<ProtocolEntry[]>
  /**
   * Lists a part of the entries of an account. Among entries with the same lifetime, the latest comes first.
   *
   * @param page - `after`: the place after which the part begins; `limit`: the number of entries at most. Entries that
   *   were removed meanwhile are left out, so a part may be short.
   * @returns `next` while there may be more.
   */
  pageByAccount(
    tenantId: string,
    kind: string,
    accountId: string,
    page: { after: EntryPlace | undefined; limit: number },
  ): Promise<{ entries: ProtocolEntry[]; next: EntryPlace | undefined }>

  /**
   * Marks the entry as used. Exactly one caller gets `true`.
   *
   * @param payload - The payload that the caller has read. An entry that was replaced since is not marked.
   */
  consume(name: EntryName, payload?: string): Promise<boolean>
  /** Removes the entry and returns it. Exactly one caller gets it. */
  takeByUid(tenantId: string, kind: string, uid: string): Promise<ProtocolEntry | undefined>
  delete(name: EntryName): Promise<void>
  /**
   * Makes changes in one step, each of a different entry. If the entries are on several servers, the changes are made one
   * after the other, beginning with entries that are marked as used.
   *
   * @returns `false` if an entry to mark was used already or is missing. Then no change was made.
   */
  write(changes: readonly Change[]): Promise<boolean>
  deleteByGrant(tenantId: string, kind: string, grantId: string): Promise<void>

  /** Counts an attempt, unless it comes too early after the previous one. The result says which. */
  admit(key: string, limit: AttemptLimit): Promise<Admission>
  /** The counted attempts; `undefined` if there are none, or they are forgotten. */
  attempts(key: string): Promise<Attempts | undefined>
  /**
   * The counted attempts of a group, by the rest of the key after the group; see {@link ProtocolStore.resetAttempts}.
   */
  attemptsOf(group: string): Promise<({ member: string } & Attempts)[]>
  /**
   * Begins an attempt at all of the counters, or at none if it is too early for one of them or has to
   * wait for other attempts. Only a failure is counted, by {@link ProtocolStore.endAttempt}.
   *
   * @param attempt - The id of the attempt.
   * @param until - The time at which the attempt ends if {@link ProtocolStore.endAttempt} was not called.
   */
  beginAttempt(
    counters: readonly AttemptCounter[],
    attempt: string,
    until: Micros,
  ): Promise<Beginning>
  /** Ends an attempt, and counts failures in the same step, even if the attempt has already ended by `until`. */
  endAttempt(
    ends: readonly (AttemptCounter & { outcome: AttemptOutcome })[],
    attempt: string,
  ): Promise<void>
  /** Deletes the counted attempts of a key. */
  resetAttempt(key: string): Promise<void>
  /** Deletes the counted attempts of every key in a group. A group is the part of a key up to its first `/`. */
  resetAttempts(group: string): Promise<void>

  /**
   * Removes expired entries, and mail that is older than a week. Resolves to the number of entries; 0 in a
   * store that removes them by itself.
   */
  prune(): Promise<number>
  /**
   * Resolves once a test write has succeeded. Rejects with the reason if this process cannot write,
   * although others may.
   */
  check(): Promise<void>
  /** Finishes work in progress, then closes files and connections. */
  close(): Promise<void>
}

/** The methods of {@link ProtocolStore} about attempts. */
export type AttemptMethods =
  | 'admit'
  | 'attempts'
  | 'attemptsOf'
  | 'beginAttempt'
  | 'endAttempt'
  | 'resetAttempt'
  | 'resetAttempts'
