import { once } from 'node:events'
import { createWriteStream, lstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { escapeFormula } from '../formula.ts'
import { readEntries } from './journal.ts'

/** The columns of a result file. */
export const resultColumns: string[] = ['old_id', 'new_id', 'line', 'email']

/** Whether a result file has a line after that of its columns. */
export function hasUsers(resultFile: string): boolean {
  const found = statSync(resultFile, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size > `${resultColumns.join(',')}\n`.length
}

/**
 * Writes the two files of an import from its journal. `resultFile` maps the old id of each user to
 * the new one; `rejectsFile` has the rejected rows with their reasons. Each file replaces the
 * previous one when it is complete.
 *
 * In `resultFile`, ids are not escaped, because programs read them. In `rejectsFile`, ids are
 * escaped for spreadsheets. A new column must be added at the end, because programs read columns by
 * position.
 *
 * @returns The paths of the files.
 * @throws Error with the `path` of a file that cannot be written.
 */
export async function writeResults(
  journal: string,
  resultFile: string,
  rejectsFile: string,
): Promise<{ result: string; rejects: string }> {
  const result = openCsv(resultFile, resultColumns)
  const rejects = openCsv(rejectsFile, ['line', 'old_id', 'email', 'reason'])
  for await (const { state, id, old, line, email = '', reason = '' } of readEntries(journal)) {
    // A row with the state `created` has a later entry with its final state.
    if (id !== undefined && state !== 'created') {
      await result.write([old, id, String(line), escapeFormula(email)])
    }
    if (state === 'rejected') {
      await rejects.write([String(line), ...[old, email, reason].map(escapeFormula)])
    }
  }
  await result.close()
  await rejects.close()
  return { result: resultFile, rejects: rejectsFile }
}

/** A CSV file that is being written. */
export interface CsvFile {
  /**
   * Writes a row. Resolves when there is room for the next row, so a caller that waits is as slow as
   * the reader of a FIFO.
   *
   * @throws Error with the `path`, once the file cannot be written, for example because the reader
   *   of a FIFO has stopped.
   */
  write(row: string[]): Promise<void>
  /**
   * Resolves when all rows are written.
   *
   * @throws Error as `write` does.
   */
  close(): Promise<void>
}

/**
 * Opens a CSV file for writing, under a temporary name. `close` renames it to `path`, and so
 * replaces an existing file. A path with anything but a file, such as a FIFO, a device or a link,
 * is written to directly and stays.
 */
export function openCsv(path: string, columns: string[]): CsvFile {
  const part = beginPart(path)
  const rows = stringify({ header: true, columns })
  const flags = part === path ? 'w' : 'wx'
  const file = rows.pipe(createWriteStream(part, { flags, mode: 0o600 }))
  const ended = finished(file)
  let failure: NodeJS.ErrnoException | undefined
  ended.catch((error) => {
    // An error of a write has no path.
    failure = Object.assign(error, { path: error.path ?? path })
  })
  /** The wait for room, which all rows share that are written meanwhile. */
  let room: Promise<unknown> | undefined
  return {
    async write(row) {
      if (failure !== undefined) throw failure
      if (rows.write(row)) return
      room ??= Promise.race([once(rows, 'drain'), ended]).finally(() => {
        room = undefined
      })
      await room
    },
    async close() {
      rows.end()
      await ended
      if (part !== path) renameSync(part, path)
    },
  }
}

/**
 * Whether {@link openCsv} replaces a path when the new file is complete. Otherwise the path has a
 * FIFO, a device or a link.
 */
export function isReplaced(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false
}

/**
 * The path under which a new file is written: its temporary name, or `path` itself if it has
 * anything but a file. Removes the part that a killed process has left.
 */
export function beginPart(path: string): string {
  if (!isReplaced(path)) return path
  const part = partOf(path)
  rmSync(part, { force: true })
  return part
}

/** The temporary name of a file that is replaced when it is complete. */
export function partOf(path: string): string {
  return `${path}.part`
}

/** Whether a path has a FIFO or a device, to which any number of imports can write. */
export function isShareable(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isFile()
}
