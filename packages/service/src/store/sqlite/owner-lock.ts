import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isLocked } from './failure.ts'

/**
 * The lock of a data folder for this process. The operating system releases the lock when the
 * process ends.
 */
export interface OwnerLock {
  release(): void
}

/** The error if another process already serves from the data folder. */
export class DataInUseError extends Error {
  override readonly name = 'DataInUseError'
  readonly code = 'LATCHKEY_DATA_IN_USE'
}

/**
 * Locks a data folder for this process, with an exclusive lock on a small database in the folder.
 * The lock ends with the process, even after a crash.
 *
 * @throws {@link DataInUseError} if another process serves from the folder. Another error, with the
 *   user and the remedy, if this user may not write to the folder, as in a container whose volume
 *   belongs to another user.
 */
export function takeOwnership(folder: string): OwnerLock {
  const pidFile = join(folder, 'owner.pid')
  const database = openLock(folder)
  try {
    database.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    database.close()
    if (!isLocked(error)) throw notWritable(folder, error)
    throw new DataInUseError(
      `The data folder ${folder} is served by another process${otherPid(pidFile)}. Stop that one, or ` +
        'use another folder. For several processes on the same data, stop it and run: ' +
        `latchkey-service move --data ${folder} --database postgres://… --redis redis://…`,
      { cause: error },
    )
  }
  writeFileSync(pidFile, String(process.pid))
  return { release: () => database.close() }
}

function openLock(folder: string): DatabaseSync {
  try {
    return new DatabaseSync(join(folder, 'owner.lock'))
  } catch (error) {
    throw notWritable(folder, error)
  }
}

/** Makes the error with the folder, the user and the remedy, which SQLite's own error lacks. */
function notWritable(folder: string, cause: unknown): Error {
  const [uid, gid] = [process.getuid?.() ?? 'unknown', process.getgid?.() ?? 'unknown']
  return new Error(
    `The data folder ${folder} cannot be written by this user (uid ${uid}, gid ${gid}). Give it to this user: ` +
      `chown -R ${uid}:${gid} ${folder}`,
    { cause },
  )
}

function otherPid(pidFile: string): string {
  try {
    return ` (pid ${Number(readFileSync(pidFile, 'utf8'))})`
  } catch {
    return ''
  }
}
