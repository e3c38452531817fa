import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { announce, findRedis, freePort, people, startDemoService } from '@latchkey/example-shared'
import { type Program, startNginx, startPostgres } from './programs.ts'

const PROCESSES = 4

const begunAt = performance.now()
const programs: Program[] = []

try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  await stopAll()
  process.exitCode = 1
}

async function start(): Promise<void> {
  const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
  const baseUrl = `http://localhost:${port}`
  const nginxPort = await freePort(4400, port)
  const redis = await findRedis()
  programs.push({ stop: async () => redis.stop() })
  const postgres = await startPostgres(await freePort(5500))
  programs.push(postgres)
  const shared = {
    database: postgres.url,
    redis: redis.url,
    masterKey: randomBytes(32).toString('base64'),
  }
  // Each start brings the tables up to date; the first one does it, and the others wait.
  const ports: number[] = []
  for (let n = 0; n < PROCESSES; n++) ports.push(await freePort((ports.at(-1) ?? 4500) + 1))
  await Promise.all(ports.map((port) => startProcess({ PORT: String(port), ...namesOf(shared) })))
  programs.push(await startNginx(nginxPort, ports))

  // The tenant is made by the management API, through nginx as well.
  const service = await startDemoService({ port: nginxPort, shared })
  programs.push({ stop: () => service.close() })
  const users = people.slice(0, 1)
  const { issuer, clientId, clientSecret } = await service.addTenant({
    company: 'Acme',
    application: 'Cluster',
    baseUrl,
    users,
  })
  Object.assign(process.env, {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_SECRET: clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64url'),
  })
  const { app } = await import('./app.ts')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  announce({
    ...{ title: 'Cluster', url: baseUrl, begunAt, users },
    more: {
      Issuer: issuer,
      Processes: `${PROCESSES}, behind nginx at ${nginxPort}: ${ports.join(', ')}`,
      PostgreSQL: postgres.url,
      Redis: redis.url,
    },
    closing: 'Stop with Ctrl-C.',
  })
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await stopAll()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}

async function startProcess(environment: Record<string, string>): Promise<void> {
  const script = fileURLToPath(new URL('service.ts', import.meta.url))
  const child = fork(script, { env: { ...process.env, ...environment } })
  const ended = once(child, 'exit')
  programs.push({
    async stop() {
      child.kill()
      await ended
    },
  })
  const failed = ended.then(() => {
    throw new Error('A process of the service did not start.')
  })
  failed.catch(() => {})
  await Promise.race([once(child, 'message'), failed])
}

/** Settings that all processes of the service share. */
function namesOf({
  database,
  redis,
  masterKey,
}: Record<'database' | 'redis' | 'masterKey', string>) {
  return { LATCHKEY_DATABASE: database, LATCHKEY_REDIS: redis, LATCHKEY_MASTER_KEY: masterKey }
}

/** In the opposite order, as each needs those before it. */
async function stopAll(): Promise<void> {
  for (const program of programs.reverse()) await program.stop()
}
