import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Installs a package where that may be done without asking: as root on Debian.
 *
 * @param names - What it is called, in one release of Debian or another: the first that there is.
 * @param remedy - What to do elsewhere, in a sentence.
 */
export function installOnDebian(names: readonly string[], remedy: string): void {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/usr/bin/apt-get')) throw new Error(remedy)
  console.log(`Installing ${names[0]} for the tests …`)
  // RUNLEVEL keeps servers from being started.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const options: ExecFileSyncOptions = { env, stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync('apt-get', ['update', '-q'], options)
  for (const [at, name] of names.entries()) {
    try {
      execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', name], options)
      return
    } catch (error) {
      if (at === names.length - 1) throw error
    }
  }
}
