import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

/** A Redis to keep sessions in. */
export interface Redis {
  readonly url: string
  /** Ends it, if it is ours. */
  stop(): void
}

/**
 * The Redis at REDIS_URL, or one of our own that keeps nothing on disk.
 *
 * @throws Error that says what to install, when there is neither.
 */
export async function findRedis(): Promise<Redis> {
  const { REDIS_URL } = process.env
  if (REDIS_URL) return { url: REDIS_URL, stop: () => {} }

  const port = await freePort(6400)
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ]
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] })
  child.on('error', () => {})
  for (let log = ''; !log.includes('Ready to accept connections'); ) {
    const ended = once(child, 'close').then(() => undefined)
    const chunk = await Promise.race([once(child.stdout, 'data'), ended]).catch(() => undefined)
    if (!chunk) {
      throw new Error(
        'There is no Redis. Set REDIS_URL to one that runs, or install it: ' +
          'sudo apt-get install redis-server, or brew install redis.',
      )
    }
    log += String(chunk)
  }
  child.stdout.resume()
  return { url: `redis://127.0.0.1:${port}`, stop: () => void child.kill() }
}
