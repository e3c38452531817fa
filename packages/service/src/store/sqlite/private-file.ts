import { chmodSync, closeSync, openSync } from 'node:fs'

/**
 * Creates a database file that only its owner may read, independently of the umask. Other users
 * lose access to an existing file. SQLite gives the log beside the file the same mode.
 *
 * @param path - The path of the file. `:memory:` does nothing.
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
    // EPERM: users who share the file by its group cannot change its mode, and need not. ENOENT:
    // the log exists only while a process has the database open, so it may disappear at any time.
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EPERM', 'ENOENT'].includes(code)) throw error
  }
}
