import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test, vi } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'

test('the example without a framework lets nobody in who has not logged in', async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  await using provider = await startMisbehavingProvider()
  const baseUrl = `http://127.0.0.1:${port}`
  vi.stubEnv('LATCHKEY_ISSUER', provider.issuer)
  vi.stubEnv('LATCHKEY_CLIENT_ID', provider.clientId)
  vi.stubEnv('LATCHKEY_CLIENT_SECRET', provider.clientSecret)
  vi.stubEnv('LATCHKEY_BASE_URL', baseUrl)
  vi.stubEnv('LATCHKEY_SESSION_SECRET', 'a session secret of the tests, long enough')
  const { server } = await import('../src/app.ts')
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const browser = createBrowser()

  const asked = await fetch(baseUrl, { redirect: 'manual' })
  const visit = await browser.open(`${baseUrl}/anywhere`)
  const left = await browser.send(`${baseUrl}/logout`, {
    method: 'POST',
    headers: { origin: baseUrl },
  })

  expect(asked.status).toBe(401)
  expect(visit.url.pathname).toBe('/anywhere')
  expect(visit.text).toBe('Hello Ada\n')
  expect(left.headers.get('location')).toContain(provider.issuer)
  expect((await browser.send(baseUrl)).status).toBe(401)
  server.closeAllConnections()
  server.close()
  vi.unstubAllEnvs()
})
