import type { ReaderLag } from '../telemetry/gauges.ts'
import type { StoredAuditEntry } from './records.ts'

/** The number of shards into which readers divide the audit log, by tenant. */
export const LOG_SHARDS = 8

/** The name of the reader that ends the sessions of changed users. */
export const VOID_SESSIONS = 'void-sessions'

/** The name of the reader that makes events for endpoints. */
export const WEBHOOKS = 'webhooks'

/** How long a process holds a shard without renewing its lease. */
export const LEASE_SECONDS = 3

/**
 * The maximum number of entries that are read ahead while an earlier one is still being written.
 */
const MAX_AHEAD = 10_000

/** A shard of the audit log that this process reads at the moment. */
export interface HeldShard {
  shard: number
  /** Every entry up to this id was read. */
  position: number
  /** The ids of entries after `position` that were already read, while earlier ones were still being written. */
  ahead: readonly number[]
  /** Grows each time a process takes the shard. A process with a lower fence no longer holds it. */
  fence: number
}

/** The unread entries of some shards, and the positions of the shards after these entries. */
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
   * Whether there may be unread entries, as known in this process for at most a second. Sends no query. Always `true`
   * if the store cannot know.
   */
  mayHaveUnread?(reader: string): boolean
  /**
   * Takes at most `limit` shards that have unread entries and that no other process holds. `undefined` if nothing is
   * unread.
   */
  claim(reader: string, limit: number): Promise<HeldShard[] | undefined>
  /** Reads at most `limit` unread entries of the tenants in these shards, the oldest first. */
  read(shards: readonly HeldShard[], limit: number): Promise<ReadAhead>
  /**
   * Stores the positions of the shards, and renews their leases or, with `isLast`, ends them.
   *
   * @returns The shards that this process still holds.
   */
  keep(reader: string, shards: readonly HeldShard[], isLast: boolean): Promise<HeldShard[]>
  /** How far each reader is behind. */
  lag(): Promise<ReaderLag[]>
}

/** The shard of a tenant's entries. In SQL it is `ascii(right(tenant_id, 1)) % 8`. */
export function shardOf(tenantId: string): number {
  return (tenantId.at(-1)?.charCodeAt(0) ?? 0) % LOG_SHARDS
}

/**
 * The shards with their positions moved to the end of the entries that were read.
 *
 * @param settled - No entry up to this id can appear any more.
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

/** Whether these shards may read on. If not, they wait for an entry that is still being written. */
export function mayReadAhead(shards: readonly HeldShard[]): boolean {
  return shards.every(({ ahead }) => ahead.length < MAX_AHEAD)
}
