import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The name of a copy of the data that is becoming a backup, with the id of its process. SQLite may keep a journal
 * beside it.
 */
const DRAFT = /^(backup-(\d+)-[0-9a-f]{12}\.db)(-\w+)?$/

/**
 * The drafts of this process. They must be known, because in a container a new process often has
 * the id of a killed one.
 */
const ours = new Set<string>()

/** A new name for such a copy. */
export function draftIn(folder: string): string {
  const name = `backup-${process.pid}-${randomBytes(6).toString('hex')}.db`
  ours.add(name)
  return join(folder, name)
}

/**
 * Deletes the copies of killed processes. They hold addresses and password hashes, even of users who were deleted
 * later.
 */
export function removeLeftDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, draft = '', pid] = DRAFT.exec(name) ?? []
    if (pid === undefined || ours.has(draft) || isRunning(Number(pid))) continue
    rmSync(join(folder, name), { force: true })
  }
}

/** Whether another running process has this id. If its copy is deleted by mistake, its backup fails with a message. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
