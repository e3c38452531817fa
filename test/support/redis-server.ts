import { existsSync } from 'node:fs'
import { installOnDebian } from './debian.ts'

const places = ['redis-server', 'valkey-server'].flatMap((name) =>
  ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map((folder) => `${folder}/${name}`),
)

/** Where the Redis or Valkey of the tests is, if there is one; `LATCHKEY_REDIS_SERVER` names another. */
export function redisPath(): string | undefined {
  return [process.env.LATCHKEY_REDIS_SERVER ?? '', ...places].find((path) => existsSync(path))
}

/** Installs Redis or Valkey where there is neither. It is not started. */
export function provideRedis(): void {
  if (redisPath()) return
  installOnDebian(
    ['redis-server', 'valkey-server'],
    'The tests need Redis or Valkey. Install one (Debian: sudo apt-get install redis-server), ' +
      'or set LATCHKEY_REDIS_SERVER to the path of a redis-server or valkey-server.',
  )
}
