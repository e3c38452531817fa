import { hash } from 'node:crypto'
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PARTS = 64
const ENTRY_BYTES = 16
const BUFFER_BYTES = 16 * 1_024

/** A row with the same value as an earlier row. */
export interface Duplicate {
  row: number
  line: number
  /** The line of the first row with this value. */
  firstLine: number
}

/** Finds values that occur in more than one row, in little memory for any number of rows. */
export interface DuplicateFinder extends Disposable {
  add(value: string, row: number, line: number): void
  /** The rows that repeat the value of an earlier row, sorted by row number. */
  find(): Duplicate[]
}

/**
 * Creates a finder that stores a hash of each value in temporary files. The first byte of the hash
 * selects the file, so that `find` reads one file at a time.
 */
export function createDuplicateFinder(): DuplicateFinder {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
  const parts = Array.from({ length: PARTS }, (_, n) => {
    const path = join(folder, String(n))
    return { file: openSync(path, 'wx+', 0o600), buffer: Buffer.alloc(BUFFER_BYTES), used: 0 }
  })
  // Except on Windows, a file can be deleted while it is open. So the files are gone even when the
  // process is killed.
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (process.platform !== 'win32') remove()
  const flush = (part: (typeof parts)[number]): void => {
    writeSync(part.file, part.buffer, 0, part.used)
    part.used = 0
  }

  return {
    add(value, row, line) {
      const digest = hash('sha1', value, 'buffer')
      const part = parts[(digest[0] ?? 0) % PARTS]
      if (!part) return
      if (part.used === BUFFER_BYTES) flush(part)
      digest.copy(part.buffer, part.used, 1, 9)
      part.buffer.writeUInt32LE(row, part.used + 8)
      part.buffer.writeUInt32LE(line, part.used + 12)
      part.used += ENTRY_BYTES
    },
    find() {
      const found = parts.flatMap((part) => {
        flush(part)
        return duplicatesIn(readAll(part.file))
      })
      return found.sort((one, other) => one.row - other.row)
    },
    [Symbol.dispose]() {
      for (const { file } of parts) closeSync(file)
      remove()
    },
  }
}

function readAll(file: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(file).size)
  readSync(file, bytes, 0, bytes.length, 0)
  return bytes
}

function duplicatesIn(entries: Buffer): Duplicate[] {
  const firstLines = new Map<bigint, number>()
  const duplicates: Duplicate[] = []
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const key = entries.readBigUInt64LE(at)
    const line = entries.readUInt32LE(at + 12)
    const firstLine = firstLines.get(key)
    if (firstLine === undefined) firstLines.set(key, line)
    else duplicates.push({ row: entries.readUInt32LE(at + 8), line, firstLine })
  }
  return duplicates
}
