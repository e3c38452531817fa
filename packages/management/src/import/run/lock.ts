import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'

/**
 * The contents of the locks that this process holds. In a container, a process often has the pid of
 * an earlier one that was killed, whose lock names that pid with another id.
 */
const held = new Set<string>()

/** The name of this host or container, without spaces. */
const HOST = encodeURIComponent(hostname())

/**
 * Acquires a lock that only one process can hold. Returns the function that releases the lock.
 *
 * The lock file is created atomically with its whole content. To replace the lock of a dead
 * process, a process first acquires a second lock, whose name is derived from the first. So only
 * one process replaces a lock.
 *
 * @param use - The use that the lock protects, as the end of a sentence about the process.
 * @throws Error if a running process holds the lock, or a process of another host or container,
 *   because this host cannot tell whether that process is running. Also if `path` has another file.
 */
export function lock(path: string, use = 'running this import'): () => void {
  const own = `${process.pid} ${randomUUID()} ${HOST}`
  const draft = `${path}.${randomUUID()}`
  try {
    for (;;) {
      writeFileSync(draft, own, { flag: 'wx', mode: 0o600 })
      if (linked(draft, path)) return hold(path, own)
      const holder = read(path)
      if (holder !== undefined) takeOver({ path, holder, draft, use })
      if (read(path) === own) return hold(path, own)
      rmSync(draft, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

interface TakeOver {
  path: string
  holder: string
  draft: string
  use: string
}

/**
 * Replaces the lock of a dead process with the draft, unless another process has already replaced
 * it.
 *
 * @throws Error if the process that holds the lock is running, or is of another host, or if the
 *   file is not a lock. An empty one is a lock that a process has not finished writing.
 */
function takeOver({ path, holder, draft, use }: TakeOver): void {
  if (!/^(\d+( |$)|$)/.test(holder)) {
    throw new Error(`${path} is not a lock of an import; rename it, or name other files.`)
  }
  const [pid, id = 'earlier', host = HOST] = holder.split(' ')
  if (host !== HOST) {
    throw new Error(
      `Process ${pid} on the host ${host} may be ${use}. If it is not, delete ${path}.`,
    )
  }
  const isRunning = Number(pid) === process.pid ? held.has(holder) : isAlive(Number(pid))
  if (isRunning) {
    throw new Error(`Process ${pid} is ${use} (${path}).`)
  }
  const done = lock(`${path}-${id}`, use)
  try {
    if (read(path) === holder) renameSync(draft, path)
  } finally {
    done()
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // Some file systems have no hard links, so the file is copied.
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    return true
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function hold(path: string, own: string): () => void {
  held.add(own)
  return () => release(path, own)
}

function release(path: string, own: string): void {
  held.delete(own)
  if (read(path) === own) rmSync(path, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process is running as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
