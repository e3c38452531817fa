import { chmodSync, closeSync, openSync } from 'node:fs'

/**
 * Makes a database file that only its owner may read, with any umask, or closes one that others may
 * read. SQLite gives the log beside it the same mode.
 *
 * @param path - A file, or `:memory:`.
 */
export function makePrivate(path: string): void {
  if (path === ':memory:') return
  closeSync(openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) close(file)
}

function close(file: string): void {
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    // Another user who shares the file by its group cannot change its mode, and need not. The log is
    // there while a process has the database open, and can be gone at any time.
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EPERM', 'ENOENT'].includes(code)) throw error
  }
}
