import { hash } from 'node:crypto'
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PARTS = 64
const ENTRY_BYTES = 16
const BUFFER_BYTES = 16 * 1_024

/** Two rows that have the same value. */
export interface Duplicate {
  row: number
  line: number
  /** Line of the first row that has it. */
  firstLine: number
}

/** Finds values that occur more than once among any number of rows, in constant memory. */
export interface DuplicateFinder extends Disposable {
  add(value: string, row: number, line: number): void
  /** All rows but the first of each value, in the order of the file. */
  find(): Duplicate[]
}

/** Keeps a hash of each value in files, by its first byte, and compares one file at a time. */
export function createDuplicateFinder(): DuplicateFinder {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
  const parts = Array.from({ length: PARTS }, (_, n) => {
    const path = join(folder, String(n))
    return { file: openSync(path, 'wx+', 0o600), buffer: Buffer.alloc(BUFFER_BYTES), used: 0 }
  })
  // An open file needs no name, and so it is gone even when the process is killed. Windows keeps names.
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
