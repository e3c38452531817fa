import { setTimeout as wait } from 'node:timers/promises'
import type { HeldShard } from '../../store/cursors.ts'
import type { AuditEntry, StoredAuditEntry } from '../../store/records.ts'
import { untraced } from '../../telemetry/tracing.ts'
import { type DomainContext, isShared } from './context.ts'

/** How many parts of the log a process reads at a time; others are left to other processes. */
const SHARDS_AT_ONCE = 4

/** The entries read at a time; processing them takes less time than a lease. */
const BATCH = 200

/** How often the log is looked at for what another process has written: a command, or a server. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/** The shortest time from one reading to the next: under load, each has several entries. */
const READ_EVERY_MS = 50

/** When to look again while another process reads the log. */
const BUSY_MS = 200

/** A reader of the audit log. */
export interface LogReader {
  /** Its name; processes with the same one share the log by tenant. */
  readonly name: string
  /** Processes entries, in order. It may run twice for the same ones. */
  act(entries: readonly StoredAuditEntry[]): Promise<void>
  /** Whether an entry of this process is to be read at once; others are within seconds. */
  isUrgent(entry: AuditEntry): boolean
  /** Logs a failure, after which the same entries are read again. */
  report(error: unknown): void
}

/** A reader at work. */
export interface FollowedLog {
  /** Resolves when nothing is unread. */
  idle(): Promise<void>
  /** Stops after the entries in progress. */
  close(): Promise<void>
}

/**
 * Hands entries of the audit log that a reader has not seen to it, a batch at a time, now and as they are written.
 * Where a process dies, its last batch is handed out again.
 */
export function followLog(context: DomainContext, reader: LogReader): FollowedLog {
  const { events, store } = context
  let running: Promise<void> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isWanted = false
  let isClosed = false

  async function follow(): Promise<void> {
    while (!isClosed) {
      await wait(Math.max(0, readAt + READ_EVERY_MS - performance.now()))
      readAt = performance.now()
      isWanted = false
      const state = await readLog(context, reader)
      if (state === 'done' && !isWanted) return
      // A change of this process is told no later for another's being at it.
      if (state === 'busy') await wait(BUSY_MS)
    }
  }

  function wake(): Promise<void> {
    isWanted = true
    // Not in the trace of the request whose change woke it.
    running ??= untraced(follow)
      .catch(reader.report)
      .finally(() => {
        running = undefined
      })
    return running
  }

  function onChange(entry: AuditEntry): void {
    if (reader.isUrgent(entry)) void wake()
  }
  events.on('change', onChange)
  function poll(): void {
    if (store.cursors.mayHaveUnread?.(reader.name) ?? true) void wake()
  }
  const polling = setInterval(poll, isShared(context) ? SHARED_POLL_MS : POLL_MS)
  polling.unref()
  void wake()

  return {
    async idle() {
      await running
      await wake()
    },
    async close() {
      isClosed = true
      clearInterval(polling)
      events.off('change', onChange)
      await running
    },
  }
}

/**
 * Reads what is unread in the parts of the log that no other process holds.
 *
 * @returns `done`: nothing is unread. `busy`: other processes are reading the rest.
 */
async function readLog(
  { store: { cursors } }: DomainContext,
  { name, act }: LogReader,
): Promise<'done' | 'busy' | 'read'> {
  let held: HeldShard[] | undefined = await cursors.claim(name, SHARDS_AT_ONCE)
  if (!held) return 'done'
  if (held.length === 0) return 'busy'
  while (held.length > 0) {
    try {
      const { entries, shards } = await cursors.read(held, BATCH)
      await act(entries)
      const isLast = entries.length < BATCH
      held = await cursors.keep(name, shards, isLast)
      if (isLast) break
    } catch (error) {
      await cursors.keep(name, held, true).catch(() => {})
      throw error
    }
  }
  return 'read'
}
