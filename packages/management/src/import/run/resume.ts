import { type Bitmap, createBitmap } from './bitmap.ts'
import { type JournalHeader, readEntries, readJournal } from './journal.ts'

/**
 * The maximum number of rows between the first and the last row in progress. A row begins only when
 * all rows that are this many or more before it have finished. So each user of those rows is older
 * than the users of all rows in progress.
 */
export const WINDOW = 500

/** The progress of an import, read from its journal. */
export interface Standing {
  header: JournalHeader | undefined
  finished: Bitmap
  done: number
  rejected: number
  /** The ids of users whose password is not imported yet, by row number. */
  created: Map<number, string>
  /** The import of rows with this or a higher number has not begun. */
  begunBelow: number
  /** The id of a user who is older than all users missing in the journal. */
  anchor: string | undefined
}

/**
 * Reads the progress of an import. The journal is read twice, to save memory.
 *
 * @param isNew - Whether this run has created the journal, so that no earlier run has begun a row.
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
