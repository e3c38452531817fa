import type { ReaderLag } from '../telemetry/gauges.ts'
import type { StoredAuditEntry } from './records.ts'

/** The number of shards of the audit log. All entries of a tenant are in the same shard. */
export const LOG_SHARDS = 8

/** The name of the audit log reader that revokes the sessions of changed users. */
export const VOID_SESSIONS = 'void-sessions'

/** The name of the audit log reader that makes events for webhook endpoints. */
export const WEBHOOKS = 'webhooks'

/** The duration of the lease of a shard, which the process that holds the shard renews. */
export const LEASE_SECONDS = 3

/**
 * The maximum number of entries of a shard that are read while an earlier entry is still being
 * written.
 */
const MAX_AHEAD = 10_000

/** A shard of the audit log that this process reads at the moment. */
export interface HeldShard {
  shard: number
  /** Every entry of the shard up to this id was read. */
  position: number
  /**
   * The ids of entries after `position` that were already read, while earlier entries were still
   * being written.
   */
  ahead: readonly number[]
  /**
   * A number that grows each time a process takes the shard. A process with a lower fence no longer
   * holds the shard.
   */
  fence: number
}

/**
 * Entries that were read from some shards, and the shards with their positions after these entries.
 */
export interface ReadAhead {
  entries: StoredAuditEntry[]
  shards: HeldShard[]
}

/**
 * The positions of readers of the audit log. They are stored in the same database as the log, so
 * that a backup contains a consistent state of both.
 */
export interface CursorStore {
  /**
   * Whether the reader may have unread entries. Sends no query, so the answer may be a second old.
   * `true` if this is unknown. A store without this method has to be asked by `claim`.
   */
  mayHaveUnread?(reader: string): boolean
  /**
   * Takes shards that have unread entries and that no other process holds. `undefined` if the
   * reader has read everything. A store of several processes takes at most `limit` shards.
   */
  claim(reader: string, limit: number): Promise<HeldShard[] | undefined>
  /** Reads at most `limit` unread entries of the tenants in these shards, the oldest first. */
  read(shards: readonly HeldShard[], limit: number): Promise<ReadAhead>
  /**
   * Stores the positions of the shards. Renews their leases or, with `isLast`, ends the leases.
   *
   * @returns The shards that this process still holds.
   */
  keep(reader: string, shards: readonly HeldShard[], isLast: boolean): Promise<HeldShard[]>
  /** The time of the oldest unread entry of each reader. */
  lag(): Promise<ReaderLag[]>
}

/**
 * The number of the shard of a tenant's entries. The same in SQL: `ascii(right(tenant_id, 1)) % 8`.
 */
export function shardOf(tenantId: string): number {
  return (tenantId.at(-1)?.charCodeAt(0) ?? 0) % LOG_SHARDS
}

/**
 * The shards with their positions moved to the end of the entries that were read.
 *
 * @param settled - The id up to which no further entry can appear.
 * @param isEnd - Whether `entries` reach the end of the log.
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

/**
 * Whether more entries of these shards may be read. If not, the reader waits for an entry that is
 * still being written.
 */
export function mayReadAhead(shards: readonly HeldShard[]): boolean {
  return shards.every(({ ahead }) => ahead.length < MAX_AHEAD)
}
