import { hash } from 'node:crypto'
import type {
  Change,
  EntryName,
  EntryPlace,
  ProtocolEntry,
  ProtocolStore,
} from '../../store/protocol-store.ts'
import { type DomainContext, nowMicros } from './context.ts'
import { openIfKnown } from './vault.ts'

/** The tenant of a record, and the context that stores it. */
export interface Holder {
  readonly context: {
    readonly protocol: ProtocolStore
    readonly domain: Pick<DomainContext, 'clock' | 'vault'>
  }
  readonly tenant: { readonly id: string }
}

/**
 * The id of a record. A string may be a bearer secret, so the store gets only its hash; see {@link
 * keyOf}. An object has the hash itself.
 */
type EntryId = string | { readonly key: string }

/** The sealing of one member of the value, under the master key. */
interface Sealing<T> {
  readonly member: keyof T & string
  /** The name of the sealed member in the stored record. */
  readonly as: string
  /** The purpose of the sealing, so that the sealed text opens in no other record. */
  purpose(tenantId: string, id: string, value: T): string
}

/**
 * A record as read from the store. The sealed member is `undefined` if it cannot be opened, for
 * example because its master key was removed.
 */
export interface Found<T> {
  readonly value: T
  readonly isSpent: boolean
  readonly entry: ProtocolEntry
}

/**
 * Additional data of a record. The record can be found by `token` and `accountId`; `seconds` is its
 * lifetime.
 */
interface More {
  token?: string
  accountId?: string
  seconds?: number
}

/** The operations on the records of one kind. Each record belongs to a tenant and expires. */
interface Entries<T> {
  readonly kind: string
  /**
   * The lifetime of the records, in seconds; `undefined` if each {@link Entries.put} passes a
   * lifetime.
   */
  readonly seconds: number | undefined
  /** The member that is sealed in the store; `undefined` if no member is sealed. */
  readonly sealed: string | undefined
  /**
   * Writes a record, or replaces the record with the same id.
   *
   * @param more - `token`: a bearer secret that also finds the record. `accountId`: the user to
   *   whom the record belongs, or another name by which records are listed. `seconds`: the lifetime
   *   of this record, which replaces {@link Entries.seconds}.
   */
  put(holder: Holder, id: EntryId, value: T, more?: More): Promise<void>
  /** The change that {@link Entries.put} would write, for a write of several records at once. */
  toPut(holder: Holder, id: EntryId, value: T, more?: More): Change
  /**
   * Replaces the value of a record, even if the record has changed since it was read. The record
   * keeps its expiry.
   */
  replace(holder: Holder, found: Found<T>, value: T): Promise<void>
  /**
   * Replaces a record unless it has changed since it was read. The record gets a new lifetime if
   * its kind has one.
   *
   * @returns `false` if the record was replaced, used or removed meanwhile, or has expired.
   */
  exchange(holder: Holder, found: Found<T>, value: T): Promise<boolean>
  /** Replaces a record like {@link Entries.exchange}, but keeps its expiry. */
  amend(holder: Holder, found: Found<T>, value: T): Promise<boolean>
  read(holder: Holder, id: EntryId): Promise<Found<T> | undefined>
  /**
   * Marks a record as used. The record stays until it expires. Exactly one caller gets `true`.
   *
   * @param found - The record as it was read. A record that was replaced since is not marked.
   */
  spend(holder: Holder, id: EntryId, found?: Found<T>): Promise<boolean>
  drop(holder: Holder, id: EntryId): Promise<void>
  /** The change that {@link Entries.drop} would write, for a write of several records at once. */
  toDrop(holder: Holder, id: EntryId): Change
  readByToken(holder: Holder, token: string): Promise<Found<T> | undefined>
  /** Removes a record and returns its value. Exactly one caller gets the value. */
  takeByToken(holder: Holder, token: string): Promise<T | undefined>
  ofAccount(holder: Holder, accountId: string): Promise<Found<T>[]>
  /** A page of the records of an account; see `pageByAccount` of the store. */
  partOfAccount(
    holder: Holder,
    accountId: string,
    page: { after: EntryPlace | undefined; limit: number },
  ): Promise<{ found: Found<T>[]; next: EntryPlace | undefined }>
}

const kinds = new Map<string, Entries<object>>()

/** All kinds of records that were defined in this process. */
export function definedEntries(): readonly Entries<object>[] {
  return [...kinds.values()]
}

/**
 * The key under which a record is stored: the hash of an id that may be a bearer secret. The key
 * gives no access.
 */
export function keyOf(id: string): string {
  return hash('sha256', id, 'base64url')
}

/**
 * Defines a kind of record that expires.
 *
 * @param seconds - The lifetime of the records, in seconds; `undefined` if each record gets its own
 *   lifetime.
 * @throws Error for a kind that was already defined.
 */
export function entry<T extends object>(
  kind: string,
  seconds: number | undefined,
  sealing?: Sealing<T>,
): Entries<T> {
  if (kinds.has(kind)) throw new Error(`Two kinds of records are called "${kind}".`)

  function nameOf({ tenant }: Holder, id: EntryId): EntryName {
    return { tenantId: tenant.id, kind, key: typeof id === 'string' ? keyOf(id) : id.key }
  }

  function payloadOf(holder: Holder, id: string, value: T): string {
    return sealing ? sealedPayload(sealing, holder, id, value) : JSON.stringify(value)
  }

  function toFound(holder: Holder, id: EntryId, stored: ProtocolEntry): Found<T> {
    const value: T = sealing
      ? openedValue(sealing, holder, textOf(id), stored.payload)
      : JSON.parse(stored.payload)
    return { value, isSpent: stored.consumedAt !== undefined, entry: stored }
  }

  function toStored(
    holder: Holder,
    id: EntryId,
    value: T,
    { token, accountId, seconds: told = seconds ?? 0 }: More = {},
  ): ProtocolEntry {
    return {
      ...nameOf(holder, id),
      ...(token !== undefined && { uid: keyOf(token) }),
      ...(accountId !== undefined && { accountId }),
      payload: payloadOf(holder, textOf(id), value),
      expiresAt: nowMicros(holder.context.domain.clock) + told * 1e6,
    }
  }

  const entries: Entries<T> = {
    kind,
    seconds,
    sealed: sealing?.member,
    async put(holder, id, value, more) {
      await holder.context.protocol.put(toStored(holder, id, value, more))
    },
    toPut: (holder, id, value, more) => ({
      kind: 'put',
      entry: toStored(holder, id, value, more),
    }),
    async replace(holder, { entry: stored }, value) {
      await holder.context.protocol.put({
        ...stored,
        payload: payloadOf(holder, stored.key, value),
      })
    },
    exchange(holder, { entry: stored }, value) {
      const { protocol, domain } = holder.context
      const payload = payloadOf(holder, stored.key, value)
      const now = nowMicros(domain.clock)
      const expiresAt = seconds === undefined ? stored.expiresAt : now + seconds * 1e6
      return protocol.replace({ ...stored, payload, expiresAt }, stored.payload)
    },
    amend(holder, { entry: stored }, value) {
      const payload = payloadOf(holder, stored.key, value)
      return holder.context.protocol.replace({ ...stored, payload }, stored.payload)
    },
    async read(holder, id) {
      const stored = await holder.context.protocol.find(nameOf(holder, id))
      return stored && toFound(holder, id, stored)
    },
    spend: (holder, id, found) =>
      holder.context.protocol.consume(nameOf(holder, id), found?.entry.payload),
    drop: (holder, id) => holder.context.protocol.delete(nameOf(holder, id)),
    toDrop: (holder, id) => ({ kind: 'delete', name: nameOf(holder, id) }),
    async readByToken(holder, token) {
      const { context, tenant } = holder
      const stored = await context.protocol.findByUid(tenant.id, kind, keyOf(token))
      return stored && toFound(holder, stored, stored)
    },
    async takeByToken(holder, token) {
      const { context, tenant } = holder
      const stored = await context.protocol.takeByUid(tenant.id, kind, keyOf(token))
      return stored && toFound(holder, stored, stored).value
    },
    async ofAccount(holder, accountId) {
      const { context, tenant } = holder
      const all = await context.protocol.listByAccount(tenant.id, kind, accountId)
      return all.map((stored) => toFound(holder, stored, stored))
    },
    async partOfAccount(holder, accountId, page) {
      const { context, tenant } = holder
      const part = await context.protocol.pageByAccount(tenant.id, kind, accountId, page)
      const found = part.entries.map((stored) => toFound(holder, stored, stored))
      return { found, next: part.next }
    },
  }
  kinds.set(kind, entries)
  return entries
}

/** The payload of a record with a sealed member. */
function sealedPayload<T extends object>(
  { member, as, purpose }: Sealing<T>,
  { context, tenant }: Holder,
  id: string,
  value: T,
): string {
  const { [member]: text, ...rest } = value
  const sealed = context.domain.vault.seal(purpose(tenant.id, id, value), String(text))
  return JSON.stringify({ ...rest, [as]: sealed })
}

/**
 * The value of a record with the sealed member opened. The member is `undefined` if it cannot be
 * opened, for example because its master key was removed.
 */
function openedValue<T extends object>(
  { member, as, purpose }: Sealing<T>,
  { context, tenant }: Holder,
  id: string,
  payload: string,
): T {
  const value = JSON.parse(payload)
  const { [as]: sealed } = value
  delete value[as]
  value[member] = openIfKnown(context.domain.vault, purpose(tenant.id, id, value), sealed)
  return value
}

function textOf(id: EntryId): string {
  return typeof id === 'string' ? id : id.key
}
