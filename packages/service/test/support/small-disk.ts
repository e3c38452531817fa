import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, in memory. */
export interface SmallDisk {
  readonly folder: string
  /** Writes until nothing more fits. */
  fill(): void
  /** Makes space again. */
  free(): void
  remove(): void
}

/** Mounts a small file system. Answers with the reason where the machine does not allow that. */
export function mountSmallDisk(megabytes: number): SmallDisk | { reason: string } {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-small-disk-'))
  try {
    const options = `size=${megabytes}m`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return { reason: `a file system in memory cannot be mounted: ${(error as Error).message}` }
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) {
        try {
          while (true) appendFileSync(filler, Buffer.alloc(size))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
