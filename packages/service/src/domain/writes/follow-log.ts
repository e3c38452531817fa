import { setTimeout as wait } from 'node:timers/promises'
import { type Background, underLease } from '../../background/index.ts'
import { LEASE_SECONDS, LOG_SHARDS } from '../../store/cursors.ts'
import type { AuditEntry, StoredAuditEntry } from '../../store/records.ts'
import { type DomainContext, isShared } from './context.ts'

/** The maximum number of entries in a batch. */
const BATCH = 200

/**
 * The interval, in milliseconds, between searches for entries that other processes have written.
 * The shorter one is for a store that several servers share.
 */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/**
 * The minimum time between two reads, in milliseconds. Under load, each read returns several
 * entries.
 */
const READ_EVERY_MS = 100

/**
 * The wait, in milliseconds, before the next attempt if other processes hold all parts of the log.
 */
const BUSY_MS = 200

/** A reader of the audit log. */
export interface LogReader {
  /**
   * The name of the reader. Processes with the same reader share the parts of the log among them.
   */
  readonly name: string
  /**
   * The number of parts of the log that a process holds at a time. The other parts are left to
   * other processes.
   */
  readonly shardsAtOnce: number
  /** Processes entries in order. After a failure, the same entries are passed again. */
  act(entries: readonly StoredAuditEntry[]): Promise<void>
  /**
   * Whether a new entry of this process must be read at once. Other entries are read within
   * seconds.
   */
  isUrgent(entry: AuditEntry): boolean
}

/** A running reader. */
export interface FollowedLog {
  /**
   * Reads the log, and resolves when the reader has no unread entries that this process can read.
   */
  idle(): Promise<void>
}

/**
 * Starts a reader of the audit log. The reader gets its unprocessed entries in batches: the
 * existing ones now, later ones after they are written. A batch whose processing failed, or whose
 * process died, is passed to the reader again.
 */
export function followLog(
  context: DomainContext,
  background: Background,
  reader: LogReader,
): FollowedLog {
  const { events, store } = context
  let readAt = Number.NEGATIVE_INFINITY

  const following = background.every(
    isShared(context) ? SHARED_POLL_MS : POLL_MS,
    `reading the audit log for ${reader.name}`,
    async (isClosed) => {
      do {
        await wait(Math.max(0, readAt + READ_EVERY_MS - performance.now()))
        readAt = performance.now()
      } while (!isClosed() && (await readLog(context, reader)))
    },
    () => store.cursors.mayHaveUnread?.(reader.name) ?? true,
  )
  events.on('change', (entry) => {
    if (reader.isUrgent(entry)) void following.wake()
  })
  void following.wake()
  return { idle: following.wake }
}

/**
 * Reads the unread entries in parts of the log that no other process holds.
 *
 * @returns Whether there may be more unread entries.
 */
async function readLog(
  { store: { cursors } }: DomainContext,
  { name, shardsAtOnce, act }: LogReader,
): Promise<boolean> {
  const claimed = await cursors.claim(name, shardsAtOnce)
  if (!claimed) return false
  if (claimed.length === 0) {
    // Other processes hold all parts. Polling finds the parts of a process that died.
    await wait(BUSY_MS)
    return true
  }
  let held = claimed
  while (held.length > 0) {
    try {
      const { entries, shards } = await cursors.read(held, BATCH)
      if (entries.length > 0) {
        const renew = () => cursors.keep(name, held, false)
        await underLease(LEASE_SECONDS, renew, () => act(entries))
      }
      const isLast = entries.length < BATCH
      held = await cursors.keep(name, shards, isLast)
      if (isLast) break
    } catch (error) {
      await cursors.keep(name, held, true).catch(() => {})
      throw error
    }
  }
  return claimed.length >= shardsAtOnce && claimed.length < LOG_SHARDS
}
