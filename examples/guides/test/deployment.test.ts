import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getUser, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test, vi } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { startRedis } from '../../../packages/session-store/test/support/redis.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { startNginx } from '../../../test/support/nginx.ts'
import { createDeployedApp } from '../src/deployment.ts'

const location = readFileSync(new URL('../deploy/nginx-location.conf', import.meta.url), 'utf8')

test('behind the nginx of the guide users log in, and the probes follow Redis', async () => {
  await using redis = await startRedis()
  vi.stubEnv('REDIS_URL', redis.url)
  const provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxyPort = await freePort()
  const app = createDeployedApp({
    ...{ issuer, clientId, clientSecret, baseUrl: `http://127.0.0.1:${proxyPort}` },
    session: { secret: 'a secret of the guides with 32 characters' },
    logger: false,
  })
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).sub}`))
  server.on('request', app)
  await using proxy = await startNginx(
    proxyPort,
    location.replace('127.0.0.1:3000', `127.0.0.1:${port}`).replace('$host;', '$http_host;'),
  )

  expect((await createBrowser().open(`${proxy.url}/account`)).text).toBe('Hello ada')
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200)
  await redis.kill()
  expect((await fetch(`${proxy.url}/readyz`)).status).toBe(503)
  expect((await fetch(`${proxy.url}/livez`)).status).toBe(200)

  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
  await provider.close()
})
