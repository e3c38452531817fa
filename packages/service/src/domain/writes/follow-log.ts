import { setTimeout as wait } from 'node:timers/promises'
import { type Background, underLease } from '../../background/index.ts'
import { LEASE_SECONDS, LOG_SHARDS } from '../../store/cursors.ts'
import type { AuditEntry, StoredAuditEntry } from '../../store/records.ts'
import { type DomainContext, isShared } from './context.ts'

/** The entries read at a time. */
const BATCH = 200

/** How often the log is looked at for what another process has written: a command, or a server. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/** The shortest time from one reading to the next: under load, each has several entries. */
const READ_EVERY_MS = 100

/** When to look again while other processes read all of it. */
const BUSY_MS = 200

/** A reader of the audit log. */
export interface LogReader {
  /** Its name; processes with the same one share the log by tenant. */
  readonly name: string
  /** How many parts of the log a process reads at a time; others are left to other processes. */
  readonly shardsAtOnce: number
  /** Processes entries, in order. It may run twice for the same ones. */
  act(entries: readonly StoredAuditEntry[]): Promise<void>
  /** Whether an entry of this process is to be read at once; others are within seconds. */
  isUrgent(entry: AuditEntry): boolean
}

/** A reader at work. */
export interface FollowedLog {
  /** Resolves when nothing is unread. */
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
