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
import type { FlagDigests } from './flags.ts'
import { lock } from './lock.ts'

/** A step in the import of a row. An entry contains no password and no hash. */
export interface JournalEntry {
  row: number
  line: number
  /** The user's id in the old system. */
  old: string
  /** The id of the new user, if the user was created. */
  id?: string
  /**
   * `created`: the user exists, and the password is imported next. `done` and `rejected` are final.
   */
  state: 'created' | 'done' | 'rejected'
  reason?: string
  email?: string
}

/**
 * The first line of a journal, which identifies the import. A journal is never continued with
 * another file, another tenant or other flags.
 */
export interface JournalHeader {
  version: 1
  file: string
  tenant: string
  baseUrl: string
  /** The start of the import by the clock of the service, in milliseconds. */
  startedAt: number
  /** Absent in the journal of an update, and in one that an earlier version has begun. */
  flags?: FlagDigests
}

/**
 * The append-only record of an import. An entry survives a crash of the process once `append` has
 * returned.
 */
export interface Journal extends Disposable {
  /** Whether this run created the journal. */
  readonly isNew: boolean
  append(entry: JournalEntry): void
}

/**
 * Yields the header and the entries of a journal; nothing if there is no such file. A line that is
 * not JSON is skipped, such as a last line that a crash has cut off.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalHeader | JournalEntry> {
  if (!existsSync(path)) return
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const value = parse(line)
    if (value) yield value
  }
}

/** Yields the entries of a journal without the header. */
export async function* readEntries(path: string): AsyncGenerator<JournalEntry> {
  for await (const entry of readJournal(path)) if ('row' in entry) yield entry
}

/** Whether an import has begun with a journal, so that the journal has a header. */
export async function hasBegun(path: string): Promise<boolean> {
  for await (const _ of readJournal(path)) return true
  return false
}

/** The error for a journal of an import into another tenant. */
export function otherTenant(path: string): Error {
  return new Error(
    `${path} is of an import of another tenant; name others with --journal and --result to start over.`,
  )
}

/**
 * Does work while this process holds the locks of a journal and of the other files that an import
 * writes. Two imports with different journals can name the same file for their results.
 *
 * @throws Error if another running process holds one of the locks.
 */
export async function withLocks(
  journal: string,
  outputs: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const held: (() => void)[] = []
  try {
    held.push(lock(lockOf(journal)))
    for (const file of outputs) {
      held.push(lock(lockOf(file), `writing ${file}, which two imports cannot share`))
    }
    await work()
  } finally {
    for (const unlock of held) unlock()
  }
}

/** The name of the lock of a file that an import writes. */
export function lockOf(path: string): string {
  return `${path}.lock`
}

/**
 * Opens a journal for appending, whose lock the caller holds. A new journal gets the header. An
 * incomplete last line is removed.
 */
export function openJournal(path: string, header: JournalHeader): Journal {
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

/** Truncates a file after its last complete line. Returns the size in bytes that is left. */
function cutTornLine(file: number): number {
  let size = fstatSync(file).size
  const byte = Buffer.alloc(1)
  while (size > 0 && !(readSync(file, byte, 0, 1, size - 1) === 1 && byte[0] === 0x0a)) size--
  ftruncateSync(file, size)
  return size
}
