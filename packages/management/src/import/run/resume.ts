import { type Bitmap, createBitmap } from './bitmap.ts'
import { type JournalHeader, readEntries, readJournal } from './journal.ts'

/**
 * A row only begins when all rows that are this many or more before it have finished. So at most this many rows can be
 * under way when an import is killed, and users of even earlier rows are older than all of theirs.
 */
export const WINDOW = 500

/** The progress of an import, read from its journal. */
export interface Standing {
  header: JournalHeader | undefined
  finished: Bitmap
  done: number
  rejected: number
  /** The ids of users whose password is not imported yet, by row. */
  created: Map<number, string>
  /** No row from this one on was begun. */
  begunBelow: number
  /** The id of a user that is older than any user missing in the journal. */
  anchor: string | undefined
}

/**
 * Reads the progress of an import. The journal is read twice rather than held in memory.
 *
 * @param isNew - Whether this run creates the journal, so that no row was begun before.
 */
export async function readStanding(path: string, isNew: boolean): Promise<Standing> {
  const standing: Standing = {
    header: undefined,
    finished: createBitmap(),
    done: 0,
    rejected: 0,
    created: new Map(),
    begunBelow: 0,
    anchor: undefined,
  }
  let last = -1
  for await (const entry of readJournal(path)) {
    if (!('row' in entry)) {
      standing.header = entry
      continue
    }
    last = Math.max(last, entry.row)
    if (entry.state === 'created') {
      standing.created.set(entry.row, entry.id ?? '')
      continue
    }
    standing.created.delete(entry.row)
    standing.finished.add(entry.row)
    standing[entry.state] += 1
  }
  if (isNew) return standing

  standing.begunBelow = last + 1 + WINDOW
  const limit = standing.finished.firstMissing(0) - WINDOW
  let anchorRow = -1
  for await (const { row, id } of readEntries(path)) {
    if (id === undefined || row > limit || row <= anchorRow) continue
    anchorRow = row
    standing.anchor = id
  }
  return standing
}
