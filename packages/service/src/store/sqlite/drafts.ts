import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A copy of the data on its way into a backup, by the process that makes it; SQLite may keep a journal beside it. */
const DRAFT = /^(backup-(\d+)-[0-9a-f]{12}\.db)(-\w+)?$/

/** The drafts of this process. In containers, a process often has the same id as the killed one. */
const ours = new Set<string>()

/** A name in the folder for such a copy. */
export function draftIn(folder: string): string {
  const name = `backup-${process.pid}-${randomBytes(6).toString('hex')}.db`
  ours.add(name)
  return join(folder, name)
}

/**
 * Removes the copies of processes that were killed: they hold addresses and password hashes, also those of users who were
 * deleted since.
 */
export function removeLeftDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, draft = '', pid] = DRAFT.exec(name) ?? []
    if (pid === undefined || ours.has(draft) || isRunning(Number(pid))) continue
    rmSync(join(folder, name), { force: true })
  }
}

/** Whether another process has this id; a backup whose copy is taken from it by mistake fails and says so. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user is running, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
