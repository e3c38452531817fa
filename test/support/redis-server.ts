import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = ['redis-server', 'valkey-server'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map((folder) => `${folder}/${name}`),
)

/** Where the Redis or Valkey of the tests is, if there is one; `LATCHKEY_REDIS_SERVER` names another. */
export function redisPath(): string | undefined {
  return [process.env.LATCHKEY_REDIS_SERVER ?? '', ...places].find((path) => existsSync(path))
}

/** Installs Redis where that may be done without asking: as root on Debian. It is not started. */
export function installRedis(): void {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      'The tests need Redis or Valkey. Install one (Debian: sudo apt-get install redis-server), ' +
        'or set LATCHKEY_REDIS_SERVER to the path of a redis-server or valkey-server.',
    )
  }
  console.log('Installing Redis for the tests of the session store …')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const options: ExecFileSyncOptions = { env, stdio: ['ignore', 'ignore', 'inherit'] }
  execFileSync('apt-get', ['update', '-q'], options)
  const install = (name: string): void => {
    execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', name], options)
  }
  try {
    install('redis-server')
  } catch {
    install('valkey-server')
  }
}
