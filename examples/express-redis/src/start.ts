import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { announce, findRedis, freePort, people, startDemoService } from '@latchkey/example-shared'

const PROCESSES = 4

try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function start(): Promise<void> {
  const begunAt = performance.now()
  const redis = await findRedis()
  const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
  const baseUrl = `http://localhost:${port}`
  const service = await startDemoService({ port: await freePort(4400, port) })
  const users = people.slice(0, 1)
  const client = await service.addTenant({
    company: 'Acme',
    application: 'Express and Redis',
    baseUrl,
    users,
  })

  cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.ts', import.meta.url)) })
  const environment = {
    PORT: port,
    REDIS_URL: redis.url,
    LATCHKEY_ISSUER: client.issuer,
    LATCHKEY_CLIENT_ID: client.clientId,
    LATCHKEY_CLIENT_SECRET: client.clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64url'),
  }
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork(environment))
  await Promise.all(workers.map((worker) => once(worker, 'listening')))
  announce({
    ...{ title: 'Express and Redis', url: baseUrl, begunAt, users },
    more: { Processes: String(PROCESSES), Redis: redis.url },
    closing: 'Stop with Ctrl-C.',
  })

  const stop = async (): Promise<void> => {
    for (const worker of workers) worker.kill()
    redis.stop()
    await service.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
