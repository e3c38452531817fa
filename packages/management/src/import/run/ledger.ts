import type { ImportRow } from '../row.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { type Standing, WINDOW } from './resume.ts'

/** Records the progress of each row, in the journal and in memory. */
export interface Ledger {
  /** Records that the user was created, and that the password is still to be imported. */
  created(row: ImportRow, id: string): void
  done(row: ImportRow, id: string): void
  /**
   * Records that a row was rejected.
   *
   * @param id - The id of the user, if the user was created and only the password was rejected.
   */
  reject(row: ImportRow, reason: string, id?: string): void
  /**
   * The id of a user who was created before the import of this row began; `undefined` if none is
   * known.
   */
  anchorOf(row: ImportRow): string | undefined
}

/**
 * The distance between rows whose user ids are kept as anchors. It is more than 1 to save memory. A
 * row uses the nearest anchor that is at least `WINDOW` rows before it.
 */
const ANCHOR_EVERY = 50

export function createLedger(
  journal: Journal,
  standing: Standing,
  onRow: (state: 'done' | 'rejected') => void,
): Ledger {
  const anchors: { row: number; id: string }[] = []

  function finish(entry: JournalEntry & { state: 'done' | 'rejected' }): void {
    journal.append(entry)
    standing.finished.add(entry.row)
    standing.created.delete(entry.row)
    if (entry.id !== undefined && entry.row % ANCHOR_EVERY === 0) {
      anchors.push({ row: entry.row, id: entry.id })
      anchors.sort((a, b) => a.row - b.row)
      while (anchors.length > (2 * WINDOW) / ANCHOR_EVERY + 2) anchors.shift()
    }
    onRow(entry.state)
  }

  return {
    created: (row, id) => journal.append({ ...facts(row), id, state: 'created' }),
    done: (row, id) => finish({ ...facts(row), id, state: 'done' }),
    reject(row, reason, id) {
      const known = id === undefined ? {} : { id }
      finish({ ...facts(row), reason, ...known, state: 'rejected' })
    },
    anchorOf: ({ row }) =>
      anchors.findLast((anchor) => anchor.row <= row - WINDOW)?.id ?? standing.anchor,
  }
}

function facts({ row, line, oldId, user }: ImportRow) {
  return { row, line, old: oldId, email: user.profile.email }
}
