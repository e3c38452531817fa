import { hash } from 'node:crypto'
import type { Backlog } from '../telemetry/gauges.ts'
import type { Micros } from './records.ts'

/**
 * A record of OpenID Connect that expires: a session, a code, a token or an interaction.
 *
 * The store never gets a bearer secret: `key` is its hash, and `payload` does not contain it.
 */
export interface ProtocolEntry {
  tenantId: string
  /** The kind of entry, such as `Session` or `AuthorizationCode`. */
  kind: string
  /** The key of the entry, which is unique among the tenant's entries of this kind. */
  key: string
  /** The content of the entry as JSON. */
  payload: string
  expiresAt: Micros
  /** The id of the grant that the entry belongs to. Revoking the grant deletes the entry. */
  grantId?: string | undefined
  /** A second id of the entry, which is not secret. */
  uid?: string | undefined
  /** The id of the user whom the entry belongs to. */
  accountId?: string | undefined
  /**
   * The time at which the entry was used. A used entry stays until it expires, or for
   * `keepSeconds`, so that a second use is noticed.
   */
  consumedAt?: Micros | undefined
}

/** The primary key of a {@link ProtocolEntry}. */
export type EntryName = Pick<ProtocolEntry, 'tenantId' | 'kind' | 'key'>

/**
 * A step of {@link ProtocolStore.write}: inserts or replaces an entry, removes an entry, or marks
 * an entry as used, which succeeds for exactly one caller. A used entry expires after `keepSeconds`
 * at the latest. Default: its expiry stays.
 *
 * `read`: the payload that the caller has read. If the stored entry has another payload, was used
 * or removed meanwhile, or has expired, no change is made. Default: no condition.
 *
 * `isNew`: the key of the entry is new, and no client gets it before the write has succeeded. A store
 * that cannot make all changes in one step stores such an entry before those with a condition, and
 * removes it if the write is refused. Only for entries without `read`.
 */
export type Change =
  | { kind: 'put'; entry: ProtocolEntry; read?: string | undefined; isNew?: boolean }
  | { kind: 'delete'; name: EntryName; read?: string | undefined }
  | { kind: 'consume'; name: EntryName; keepSeconds?: number | undefined }

/**
 * An extension of the lifetime of an entry: if at most `left` seconds remain, the entry expires
 * `seconds` from now. Only for entries without `grantId`, `accountId` and `uid`.
 */
export interface Renewal {
  left: number
  seconds: number
}

/** The position of an entry in a list. Only the store that made the position can interpret it. */
export interface EntryPlace {
  at: number
  key: string
}

/**
 * Makes the primary key of an entry whose id is a bearer secret. `key` is the SHA-256 of the id.
 */
export function entryName(tenantId: string, kind: string, id: string): EntryName {
  return { tenantId, kind, key: hash('sha256', id, 'base64url') }
}

/**
 * A limit for attempts. The first `free` attempts pass. The next attempt has to wait for
 * `baseSeconds`, and each further attempt twice as long, up to `maxSeconds`. All attempts are
 * forgotten `forgetSeconds` after the last one.
 */
export interface AttemptLimit {
  free: number
  baseSeconds: number
  maxSeconds: number
  forgetSeconds: number
}

/** The counted attempts under a key: their number, and the time of the last attempt. */
export interface Attempts {
  count: number
  lastAt: Micros
}

/** Whether an attempt may begin. A refused attempt may be repeated after `retryAfterSeconds`. */
export type Admission = { kind: 'admitted' } | { kind: 'refused'; retryAfterSeconds: number }

/** A counter of attempts: its key and its limit. */
export interface AttemptCounter {
  readonly key: string
  readonly limit: AttemptLimit
}

/**
 * Whether an attempt may begin. If not, `counter` is the index of the counter that refuses it.
 * `busy`: the attempt has to wait for the attempts in progress, which could use up the free
 * attempts if they failed.
 */
export type Beginning =
  | { kind: 'admitted' }
  | { kind: 'refused'; counter: number; retryAfterSeconds: number }
  | { kind: 'busy'; counter: number }

/**
 * The effect of an attempt on a counter. `failed`: the attempt is counted. `forgiven`: all counted
 * attempts are deleted. `unchanged`: the counter stays as it is.
 */
export type AttemptOutcome = 'failed' | 'forgiven' | 'unchanged'

/** A message to be sent. Its content is encrypted, because a link in it can open an account. */
export interface QueuedMessage {
  id: string
  tenantId: string
  createdAt: Micros
  /** The time of the next attempt to send the message; {@link NEVER} if no attempt follows. */
  dueAt: Micros
  /** The number of failed attempts. */
  attempts: number
  /** The encrypted content. Empty once the message has been sent or given up. */
  sealed: string
  /**
   * The kind of the message, such as `reset`; `undefined` for a notice to an application and for a
   * mail without a recipient.
   */
  kind?: string | undefined
  /** The id of the recipient, if it is a user. */
  userId?: string | undefined
  /** The last response of the mail server or of the application. */
  answer?: string | undefined
  /**
   * `outcome`: the result of sending; `undefined` until the message has ended. `endedAt`: the time
   * of the outcome.
   */
  outcome?: MessageOutcome | undefined
  endedAt?: Micros | undefined
}

/** The due time of a message that must not be sent: captured or finished. */
export const NEVER: Micros = Number.MAX_SAFE_INTEGER

/** The outcome of a message. */
export type MessageOutcome = 'sent' | 'given_up'

/** The state of a message. `captured`: the message is only kept for reading, and never sent. */
export type MessageState = MessageOutcome | 'waiting' | 'captured'

/** The state of a message. */
export function messageState({
  outcome,
  dueAt,
}: Pick<QueuedMessage, 'outcome' | 'dueAt'>): MessageState {
  return outcome ?? (dueAt === NEVER ? 'captured' : 'waiting')
}

/**
 * The SQL condition for messages that wait after a failed attempt, written exactly as in the
 * indexes.
 */
export const FAILED_CONDITION: string = `due_at < ${NEVER} and attempts > 0`

/** The SQL condition for messages in each state, written exactly as in the indexes. */
export const STATE_CONDITIONS: Readonly<Record<MessageState, string>> = {
  sent: "outcome = 'sent'",
  given_up: "outcome = 'given_up'",
  waiting: `outcome is null and due_at < ${NEVER}`,
  captured: `outcome is null and due_at = ${NEVER}`,
}

/**
 * A filter of messages, and the position after which the list begins. The newest messages come
 * first.
 */
export interface MessageQuery {
  userId?: string | undefined
  state?: MessageState | undefined
  after: { createdAt: Micros; id: string } | undefined
  limit: number
}

/** The seconds for which every message is kept after its creation, sent or not. */
export const MAIL_KEPT_SECONDS = 7 * 86_400

/** A message to queue. */
export type NewMessage = Pick<QueuedMessage, 'id' | 'tenantId' | 'sealed' | 'kind' | 'userId'> & {
  /** Whether the message is only kept for reading, and never sent. */
  isCaptured?: boolean
}

/** A message that this process is to send. */
export interface ClaimedMessage extends QueuedMessage {
  /** The end of the lease. {@link MessageQueue.renew} moves it. */
  dueAt: Micros
  /** The seconds since the message was queued. */
  age: number
}

/**
 * The lease of a claimed message. It is over once the message has ended, was passed to `retry`, or
 * was claimed by another process.
 */
export type MessageLease = Pick<ClaimedMessage, 'id' | 'attempts' | 'dueAt'>

/** The messages of a tenant in one state that a server has not accepted. */
export interface UndeliveredMessages {
  tenantId: string
  state: 'waiting' | 'given_up'
  count: number
  /** Whether counting stopped at a limit, so that there may be more messages than `count`. */
  isMore: boolean
  /**
   * The answer of the server to one of the messages: to the one that is due last, or to the one
   * that was given up last.
   */
  answer: string | undefined
}

/**
 * The limits for the messages that {@link MessageQueue.undelivered} reads in each state. All
 * tenants share `all`, but each has at least `least` and at most `most`.
 */
export const UNDELIVERED_READ = { all: 10_000, most: 1_000, least: 10 } as const

/**
 * A queue of messages that wait to be sent, or are captured. All times are from the clock of the
 * queue, because the clocks of processes may differ.
 */
export interface MessageQueue {
  /** Queues a message, which is due at once. */
  add(message: NewMessage): Promise<QueuedMessage>
  /**
   * Whether a message may be due. Sends no query, so the answer may be a second old. A queue
   * without this method has to be asked by `claim`.
   */
  mayBeDue?(): boolean
  /**
   * Takes up to `limit` due messages. No other process gets these messages for `seconds`.
   *
   * Tenants take turns, so that a tenant with many messages does not delay those of another one. A
   * tenant's turn comes later for each of its messages in `held`, which this process is sending.
   * Messages with the same turn, and those of one tenant, are taken in the order of their due times.
   */
  claim(
    limit: number,
    seconds: number,
    held?: readonly Pick<ClaimedMessage, 'tenantId'>[],
  ): Promise<ClaimedMessage[]>
  /**
   * Extends the lease of claimed messages to `seconds` from now, and sets their `dueAt`. Skips
   * messages whose lease is over.
   */
  renew(messages: readonly MessageLease[], seconds: number): Promise<void>
  /**
   * Corrects times after a clock was set back: messages become due if they wait longer than a
   * message with their number of attempts can.
   *
   * @param waits - The longest waits in seconds, by the number of attempts. The last item is for
   *   all further attempts.
   * @returns The number of messages that became due.
   */
  recall(waits: readonly number[]): Promise<number>
  /**
   * Counts a failed attempt of a claimed message. The next attempt is due in `seconds`. `answer`:
   * the response of the receiver. Changes nothing if the lease is over: another process may have
   * sent the message, or be sending it.
   */
  retry(message: MessageLease, seconds: number, answer?: string): Promise<void>
  /**
   * Stores that a message has ended, and deletes its content.
   *
   * @returns `true` for exactly one caller, `false` if the message had ended before.
   */
  end(id: string, outcome: MessageOutcome, answer?: string): Promise<boolean>
  remove(id: string): Promise<void>
  /**
   * Replaces the sealed content of messages that have not ended by the result of `change`. If
   * `change` returns `undefined`, the content stays.
   */
  reseal(change: (id: string, sealed: string) => string | undefined): Promise<void>
  /**
   * At most `limit` messages of all tenants that wait to be sent, the next due first, without their
   * content.
   */
  waiting(limit: number): Promise<QueuedMessage[]>
  /**
   * The messages that a server has not accepted, counted by tenant and state: those that wait
   * after a failed attempt, and those that were given up since `since`. A message that was given up
   * is left out if a later one of its kind was sent to its user. Sends one query.
   *
   * Every tenant with waiting messages is found. Of the messages that were given up, only the
   * newest of each tenant are read, up to the limit of {@link UNDELIVERED_READ}.
   *
   * @param tenantIds - The tenants to read; `undefined` for all.
   * @param since - If it is `undefined`, only waiting messages are counted.
   */
  undelivered(
    tenantIds: readonly string[] | undefined,
    since: Micros | undefined,
  ): Promise<UndeliveredMessages[]>
  /** The number of messages of all tenants that wait to be sent, and the age of the oldest. */
  backlog(): Promise<Backlog>
  /** At most `limit` messages of the tenant that have not ended, the newest first. */
  list(tenantId: string, limit: number): Promise<QueuedMessage[]>
  /**
   * The tenant's messages with a `kind` that match a query, including messages that have ended, the
   * newest first.
   */
  find(tenantId: string, query: MessageQuery): Promise<QueuedMessage[]>
  get(tenantId: string, id: string): Promise<QueuedMessage | undefined>
  /**
   * The number of messages that were queued in the last `seconds`, counted up to `limit`: of a
   * tenant, or of all tenants for `undefined`.
   */
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

/** The columns of a message that are read, as a list for a statement. */
export const MESSAGE_COLUMNS =
  'id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id, answer, outcome, ended_at'

/** Makes a message from a row. */
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

/** A row of {@link MessageQueue.undelivered}. */
export interface UndeliveredRow {
  tenant_id: string
  state: UndeliveredMessages['state']
  n: number
  is_more: boolean | number
  answer: string | null
}

/** Makes the result of {@link MessageQueue.undelivered} from a row. */
export function toUndelivered({
  tenant_id,
  state,
  n,
  is_more,
  answer,
}: UndeliveredRow): UndeliveredMessages {
  return {
    ...{ tenantId: tenant_id, state, count: n, isMore: Boolean(is_more) },
    answer: answer ?? undefined,
  }
}

/** The queues of messages, for a protocol store that keeps everything else on another server. */
export interface MessageQueues {
  readonly mail: MessageQueue
  /** The queue of notices to applications that sessions have ended. */
  readonly notices: MessageQueue
  /** Deletes messages that are more than a week old. */
  prune(): Promise<void>
}

/**
 * The store of data that expires: records of OpenID Connect such as codes and sessions, counted
 * attempts, and mail that waits to be sent.
 *
 * Every method is atomic, except as {@link ProtocolStore.write} says. Expired data is never
 * returned. Returned objects are copies. Methods reject only when the store itself fails. Every
 * implementation passes the suite in `test/issuer/protocol-store-suite.ts`.
 */
export interface ProtocolStore extends Pick<MessageQueues, 'mail' | 'notices'> {
  /** Inserts the entry, or replaces the entry with the same key. */
  put(entry: ProtocolEntry): Promise<void>
  /**
   * Replaces an entry unless it has changed since the caller read it.
   *
   * @param payload - The payload that was read.
   * @returns `false` if the stored entry was replaced, used or removed meanwhile, or has expired.
   */
  replace(entry: ProtocolEntry, payload: string): Promise<boolean>
  /**
   * Finds an entry.
   *
   * @param renewal - Extends the lifetime of the entry in the same step.
   * @returns The entry as it was before the extension.
   */
  find(name: EntryName, renewal?: Renewal): Promise<ProtocolEntry | undefined>
  /** Finds several entries, in the order of their names. `undefined` stands for a missing entry. */
  findAll(names: readonly EntryName[]): Promise<(ProtocolEntry | undefined)[]>
  findByUid(tenantId: string, kind: string, uid: string): Promise<ProtocolEntry | undefined>
  listByAccount(tenantId: string, kind: string, accountId: string): Promise<ProtocolEntry[]>
  /**
   * Lists a page of the entries of an account. Among entries with the same lifetime, the latest
   * comes first.
   *
   * @param page - `after`: the position after which the page begins. `limit`: the maximum number of
   *   entries. The page may be short, because entries that were removed meanwhile are left out.
   * @returns `next`: the `after` of the next page; `undefined` on the last page.
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
   * @param payload - The payload that the caller has read. An entry with another payload is not
   *   marked. Default: any payload.
   */
  consume(name: EntryName, payload?: string): Promise<boolean>
  /** Removes the entry with this `uid` and returns it. Exactly one caller gets the entry. */
  takeByUid(tenantId: string, kind: string, uid: string): Promise<ProtocolEntry | undefined>
  delete(name: EntryName): Promise<void>
  /**
   * Makes changes in one step, each of a different entry. If the entries are on several servers,
   * the changes are made in several steps, beginning with the entries to mark as used and those
   * with a condition.
   *
   * @returns `false` if an entry to mark was used already or is missing, or if an entry has changed
   *   since it was read. In this case, no change was made, except that on several servers other
   *   entries may have been marked.
   */
  write(changes: readonly Change[]): Promise<boolean>
  deleteByGrant(tenantId: string, kind: string, grantId: string): Promise<void>

  /**
   * Counts an attempt, unless it comes too early after the previous attempt. A refused attempt is
   * not counted.
   */
  admit(key: string, limit: AttemptLimit): Promise<Admission>
  /**
   * The counted attempts under a key; `undefined` if no attempts are counted, or if they are
   * forgotten.
   */
  attempts(key: string): Promise<Attempts | undefined>
  /**
   * The counted attempts under all keys of a group; see {@link ProtocolStore.resetAttempts}.
   * `member` is the rest of the key after the group.
   */
  attemptsOf(group: string): Promise<({ member: string } & Attempts)[]>
  /**
   * Begins an attempt at all counters, or at none if a counter refuses the attempt. Nothing is
   * counted until {@link ProtocolStore.endAttempt}.
   *
   * @param attempt - The id of the attempt.
   * @param until - The time at which the attempt ends even without a call of
   *   {@link ProtocolStore.endAttempt}.
   */
  beginAttempt(
    counters: readonly AttemptCounter[],
    attempt: string,
    until: Micros,
  ): Promise<Beginning>
  /**
   * Ends an attempt and applies its outcome to each counter, even if the attempt has already ended
   * by its `until`.
   */
  endAttempt(
    ends: readonly (AttemptCounter & { outcome: AttemptOutcome })[],
    attempt: string,
  ): Promise<void>
  /** Deletes the counted attempts of a key. */
  resetAttempt(key: string): Promise<void>
  /**
   * Deletes the counted attempts of every key in a group. A group is the part of a key up to and
   * including its first `/`.
   */
  resetAttempts(group: string): Promise<void>

  /**
   * Removes expired entries, and messages that are older than a week. One call may remove only some
   * of the entries. Resolves to the number of removed entries; 0 in a store that removes expired
   * entries by itself.
   */
  prune(): Promise<number>
  /**
   * Resolves if this process can reach the store and write to it. Otherwise rejects with the reason.
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
