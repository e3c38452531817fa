import { setTimeout as wait } from 'node:timers/promises'
import { type Background, underLease } from '../../background/index.ts'
import { LEASE_SECONDS, LOG_SHARDS } from '../../store/cursors.ts'
import type { AuditEntry, StoredAuditEntry } from '../../store/records.ts'
import { type DomainContext, isShared } from './context.ts'

/** The number of entries that are read at a time. */
const BATCH = 200

/**
 * The interval, in milliseconds, at which to look for entries of other processes: of a command, or
 * another server.
 */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/**
 * The time between two reads at least, in milliseconds. Under load, each read has several entries.
 */
const READ_EVERY_MS = 100

/** The time, in milliseconds, after which to look again if other processes read all parts. */
const BUSY_MS = 200

/** A reader of the audit log. */
export interface LogReader {
  /** The name of the reader. Processes with the same name share the log by tenant. */
  readonly name: string
  /**
   * The number of parts of the log that a process reads at a time. It leaves others to other
   * processes.
   */
  readonly shardsAtOnce: number
  /** Processes entries in order. It may be called twice for the same entries. */
  act(entries: readonly StoredAuditEntry[]): Promise<void>
  /** Whether an entry of this process has to be read at once. Others are read within seconds. */
  isUrgent(entry: AuditEntry): boolean
}

/** A running reader. */
export interface FollowedLog {
  /** Resolves when all entries were read. */
  idle(): Promise<void>
}

/**
 * Hands entries of the audit log that a reader has not seen to it, a batch at a time, now and as they are written. After
 * a failure, and where a process dies, the last batch is handed out again.
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
 * Reads what is unread in the parts of the log that no other process holds.
 *
 * @returns Whether more may be unread.
 */
async function readLog(
  { store: { cursors } }: DomainContext,
  { name, shardsAtOnce, act }: LogReader,
): Promise<boolean> {
  const claimed = await cursors.claim(name, shardsAtOnce)
  if (!claimed) return false
  if (claimed.length === 0) {
    // Others are reading them. Those that a process has left are found by polling.
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
