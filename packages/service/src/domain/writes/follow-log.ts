import type { HeldShard } from '../../store/cursors.ts'
import type { StoredAuditEntry } from '../../store/records.ts'
import type { DomainContext } from './context.ts'

/** How many parts of the log a process reads at a time; others are left to other processes. */
const SHARDS_AT_ONCE = 4

/** The entries read at a time; processing them takes less time than a lease. */
const BATCH = 200

/**
 * Hands entries of the audit log that `reader` has not seen to `act`, in order, a batch at a time. Several
 * processes share the log by tenant. Where one dies, its last batch is handed out again: `act` may run twice.
 *
 * @returns `done`: nothing is unread. `busy`: other processes are reading the rest.
 */
export async function readLog(
  { store: { cursors } }: DomainContext,
  reader: string,
  act: (entries: readonly StoredAuditEntry[]) => Promise<void>,
): Promise<'done' | 'busy' | 'read'> {
  let held: HeldShard[] | undefined = await cursors.claim(reader, SHARDS_AT_ONCE)
  if (!held) return 'done'
  if (held.length === 0) return 'busy'
  while (held.length > 0) {
    try {
      const { entries, shards } = await cursors.read(held, BATCH)
      await act(entries)
      const isLast = entries.length < BATCH
      held = await cursors.keep(reader, shards, isLast)
      if (isLast) break
    } catch (error) {
      await cursors.keep(reader, held, true).catch(() => {})
      throw error
    }
  }
  return 'read'
}

/** Whether there may be entries that `reader` has not seen; it costs no statement. */
export function mayHaveUnread({ store: { cursors } }: DomainContext, reader: string): boolean {
  return cursors.mayHaveUnread?.(reader) ?? true
}
