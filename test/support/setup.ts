import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { provideChromium } from './chromium.ts'
import { installOnDebian } from './debian.ts'
import { provideNginx } from './nginx.ts'
import { providePgbouncer } from './pgbouncer.ts'
import { providePostgres, servePostgres } from './postgres-server.ts'
import { provideRedis } from './redis-server.ts'

/** Runs before all tests: sees to what they need and npm does not bring. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await announce(project)
  // Servers and commands that tests start take half the time when their code is compiled already.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'latchkey-compile-cache')
  const removeFiles = keepFilesInMemory()
  provideChromium()
  provideRedis()
  providePostgres()
  providePgbouncer()
  provideCurl()
  provideNginx()
  const stopPostgres = await servePostgres()
  return async () => {
    await stopPostgres()
    removeFiles()
  }
}

/** More than the files of a whole run. */
const FILES_BYTES = 4 * 2 ** 30

/**
 * Has temporary files written to memory where the machine gives enough of it: databases are made and removed by the hundred,
 * of which a disk's file system takes a tenth of the time.
 */
function keepFilesInMemory(): () => void {
  const memory = '/dev/shm'
  if (process.env.TMPDIR !== undefined || !existsSync(memory)) return () => {}
  const { bavail, bsize } = statfsSync(memory)
  const runsNoPrograms = / \/dev\/shm \S+ \S*noexec/.test(readFileSync('/proc/mounts', 'utf8'))
  if (bavail * bsize < FILES_BYTES || runsNoPrograms) return () => {}
  const folder = mkdtempSync(join(memory, 'latchkey-tests-'))
  // Servers that do not run as root look for their folders in it.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Says how long a run of everything takes; nothing is printed until the first file is done. */
async function announce(project: TestProject): Promise<void> {
  const words = process.argv.slice(2).filter((word) => word !== 'run')
  if (words.some((word) => !word.startsWith('-') || word.startsWith('--shard'))) return
  const files = await project.vitest.globTestSpecifications()
  console.log(
    `${files.length} files of tests, with real browsers and databases: about 8 minutes on two cores. ` +
      'A part: npx pnpm test core\n',
  )
}

/** What is printed for people to try, and what guides show, is tried with curl. */
function provideCurl(): void {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
  } catch {
    installOnDebian(
      ['curl'],
      'The tests need curl. Install it (Debian: sudo apt-get install curl).',
    )
  }
}
