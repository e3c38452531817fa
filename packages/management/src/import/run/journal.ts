import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { createInterface } from 'node:readline'
import { lock } from './lock.ts'

/** The progress of a row. Contains neither passwords nor hashes. */
export interface JournalEntry {
  row: number
  line: number
  /** The identifier in the old table. */
  old: string
  /** The id of the user, if it was created. */
  id?: string
  /** After `created`, the password follows. After any other state, nothing follows for the row. */
  state: 'created' | 'done' | 'rejected'
  reason?: string
  email?: string
}

/** The import that the journal belongs to. No other import can continue with it. */
export interface JournalHeader {
  version: 1
  file: string
  tenant: string
  baseUrl: string
  /** The start of the import by the clock of the service, in milliseconds. */
  startedAt: number
}

/** An append-only record of an import. An entry survives a crash of the process once `append` returns. */
export interface Journal extends Disposable {
  /** Whether this run created the journal. */
  readonly isNew: boolean
  append(entry: JournalEntry): void
}

/** Reads a journal, without a last line that a crash has cut off. */
export async function* readJournal(path: string): AsyncGenerator<JournalHeader | JournalEntry> {
  if (!existsSync(path)) return
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const value = parse(line)
    if (value) yield value
  }
}

/** The entries of a journal, without its header. */
export async function* readEntries(path: string): AsyncGenerator<JournalEntry> {
  for await (const entry of readJournal(path)) if ('row' in entry) yield entry
}

/**
 * Opens a journal to append to, and begins it when it is new.
 *
 * @throws when another running process uses it.
 */
export function openJournal(path: string, header: JournalHeader): Journal {
  const unlock = lock(`${path}.lock`)
  const file = openSync(path, 'a+', 0o600)
  const isNew = cutTornLine(file) === 0
  if (isNew) writeSync(file, `${JSON.stringify(header)}\n`)
  const syncing = setInterval(() => fsyncSync(file), 1_000)
  syncing.unref()
  return {
    isNew,
    append(entry) {
      writeSync(file, `${JSON.stringify(entry)}\n`)
    },
    [Symbol.dispose]() {
      clearInterval(syncing)
      fsyncSync(file)
      closeSync(file)
      unlock()
    },
  }
}

function parse(line: string): JournalHeader | JournalEntry | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Truncates after the last complete line; returns the size that is left. */
function cutTornLine(file: number): number {
  let size = fstatSync(file).size
  const byte = Buffer.alloc(1)
  while (size > 0 && !(readSync(file, byte, 0, 1, size - 1) === 1 && byte[0] === 0x0a)) size--
  ftruncateSync(file, size)
  return size
}
