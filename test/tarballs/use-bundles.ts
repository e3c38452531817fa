import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { logIn, startIdentity } from '@latchkey/testing'

// A user logs in to each application of a folder of bundles, which runs alone in an empty folder.
const bundles = process.argv[2] ?? ''
const identity = await startIdentity({ listen: true })
const user = await identity.createUser({ claims: { plan: 'gold' } })
for (const name of await readdir(bundles)) {
  for (const redis of ['', process.env.REDIS_URL ?? '']) await use(name, redis)
}
await identity.close()

async function use(name: string, redis: string): Promise<void> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const { issuer, clientId, clientSecret } = identity.clientOptions({ baseUrl })
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-bundle-'))
  await cp(path.join(bundles, name), path.join(folder, name))
  const child = spawn(process.execPath, [name], {
    cwd: folder,
    env: {
      ...{ ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
      ...{ BASE_URL: baseUrl, PORT: String(port), REDIS_URL: redis, NODE_ENV: 'test' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const ended = once(child, 'exit').then(() => assert.fail(`${name} has ended at its start`))
    await Promise.race([once(child.stdout, 'data'), ended])
    ended.catch(() => {})
    const browser = await logIn(baseUrl, user)
    assert.equal((await browser.get('/plan')).text, 'gold', name)
  } finally {
    child.kill()
    await rm(folder, { recursive: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
