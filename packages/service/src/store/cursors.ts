import type { ReaderLag } from '../telemetry/gauges.ts'
import type { StoredAuditEntry } from './records.ts'

/** The number of parts into which readers divide the audit log, by tenant. */
export const LOG_SHARDS = 8

/** The reader of the audit log that ends sessions of changed users. */
export const VOID_SESSIONS = 'void-sessions'

/** The reader of the audit log that makes events for endpoints. */
export const WEBHOOKS = 'webhooks'

/** How long a process that does not report keeps a part of the log from others. */
export const LEASE_SECONDS = 3

/** The maximum number of entries that are read ahead of one that is still being written. */
const MAX_AHEAD = 10_000

/** A part of the audit log that this process reads for now. */
export interface HeldShard {
  shard: number
  /** Every entry up to this id was read. */
  position: number
  /** Entries behind `position` that were read, too: others that come before them were still being written. */
  ahead: readonly number[]
  /** Grows with each process that takes the part; who comes with an older one holds it no longer. */
  fence: number
}

/** The entries that parts of the log have not read yet, and where the parts stand after them. */
export interface ReadAhead {
  entries: StoredAuditEntry[]
  shards: HeldShard[]
}

/**
 * The positions of readers of the audit log, stored beside it, so that a backup has a consistent
 * state of both.
 */
export interface CursorStore {
  /**
   * Whether there may be unread entries, by what this process has heard within the last second; it asks
   * nothing. Where the store cannot tell, `true`.
   */
  mayHaveUnread?(reader: string): boolean
  /**
   * Takes parts of the log that have unread entries and that no other process holds, at most `limit`.
   * `undefined`: there is nothing unread.
   */
  claim(reader: string, limit: number): Promise<HeldShard[] | undefined>
  /** Reads at most `limit` unread entries of the tenants in these parts, the oldest first. */
  read(shards: readonly HeldShard[], limit: number): Promise<ReadAhead>
  /**
   * Keeps where the parts stand, and holds them for longer or gives them back.
   *
   * @returns The parts that this process still holds.
   */
  keep(reader: string, shards: readonly HeldShard[], isLast: boolean): Promise<HeldShard[]>
  /** How far each reader is behind. */
  lag(): Promise<ReaderLag[]>
}

/** The part of the log that a tenant's entries belong to. In SQL it is `ascii(right(tenant_id, 1))`. */
export function shardOf(tenantId: string): number {
  return (tenantId.at(-1)?.charCodeAt(0) ?? 0) % LOG_SHARDS
}

/**
 * Moves parts of the log behind the entries that were read.
 *
 * @param settled - No entry up to this id can appear any more.
 * @param isEnd - Whether no further entries are there to be read.
 */
export function movedBehind(
  shards: readonly HeldShard[],
  entries: readonly StoredAuditEntry[],
  settled: number,
  isEnd: boolean,
): HeldShard[] {
  const reached = isEnd ? settled : Math.min(settled, entries.at(-1)?.id ?? settled)
  return shards.map((held) => {
    const position = Math.max(held.position, reached)
    const own = entries.filter(
      ({ tenantId }) => tenantId !== undefined && shardOf(tenantId) === held.shard,
    )
    const ahead = [...held.ahead, ...own.map(({ id }) => id)].filter((id) => id > position)
    return { ...held, position, ahead }
  })
}

/** Whether these parts may read on, or have to wait for an entry that is still being written. */
export function mayReadAhead(shards: readonly HeldShard[]): boolean {
  return shards.every(({ ahead }) => ahead.length < MAX_AHEAD)
}
