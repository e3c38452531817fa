import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'

/** A Redis of one's own. */
export interface RedisServer {
  readonly port: number
  /** The commands it has carried out for applications. */
  commands(): Promise<number>
  stop(): Promise<void>
}

/** Starts a Redis that keeps nothing on disk. */
export async function startRedis(port = 27_311): Promise<RedisServer> {
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
  const server = spawn('redis-server', args, { stdio: 'ignore' })
  const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 100 })
  redis.on('error', () => {})
  // Another one may answer at this port.
  const told = await redis.info('server')
  if (!told.includes(`process_id:${server.pid}\r\n`)) {
    redis.disconnect()
    server.kill()
    throw new Error(`Redis did not start. Does another process use port ${port}?`)
  }
  return {
    port,
    async commands() {
      const info = await redis.info('commandstats')
      return [...info.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
        .filter(
          ([, name]) =>
            !/^(info|hello|client|ping|select|config|memory|dbsize)/.test(name as string),
        )
        .reduce((sum, [, , calls]) => sum + Number(calls), 0)
    },
    async stop() {
      redis.disconnect()
      server.kill()
      await once(server, 'exit')
    },
  }
}
