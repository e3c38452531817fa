import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Matches the file names of drafts, and of the journals that SQLite may keep beside drafts. A draft
 * is a backup that is still being written. Its name contains the id of the process that writes it.
 */
const DRAFT = /^(backup-(\d+)-[0-9a-f]{12}\.db)(-\w+)?$/

/**
 * The names of the drafts of this process. The process id in a name is not enough, because in a
 * container a new process often has the id of a killed process.
 */
const ours = new Set<string>()

/** Makes the path of a new draft in a folder. */
export function draftIn(folder: string): string {
  const name = `backup-${process.pid}-${randomBytes(6).toString('hex')}.db`
  ours.add(name)
  return join(folder, name)
}

/**
 * Deletes the drafts of killed processes. Drafts hold email addresses and password hashes, even of
 * users who were deleted later.
 */
export function removeLeftDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, draft = '', pid] = DRAFT.exec(name) ?? []
    if (pid === undefined || ours.has(draft) || isRunning(Number(pid))) continue
    rmSync(join(folder, name), { force: true })
  }
}

/**
 * Whether another running process has this id. If the draft of a running process is deleted by
 * mistake, its backup fails with a message.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
