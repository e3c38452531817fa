import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createSite } from '../src/sockets.ts'

test('the WebSocket and the event stream of the guide end when the user logs out', async () => {
  await using provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const options = {
    ...{ issuer, clientId, clientSecret, logger: false as const },
    session: { secret: 'a secret of the guides with 32 characters' },
  }
  // The port is known before the application is made.
  const probe = createSite({ ...options, baseUrl: 'http://localhost' }).listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const url = `http://127.0.0.1:${port}`
  const server = createSite({ ...options, baseUrl: url }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const browser = createBrowser()
  await browser.open(`${url}/login`)
  const [session] = [...browser.cookies].filter(([key]) => key.endsWith('latchkey'))
  const headers = { cookie: `latchkey=${session?.[1].value}`, origin: url }

  const client = new WebSocket(url.replace('http', 'ws'), { headers })
  const [greeting] = await once(client, 'message')
  expect(String(greeting)).toBe('Hello ada')
  const events = (await fetch(`${url}/events`, { headers })).text()
  const closed = once(client, 'close')
  await browser.send(`${url}/logout`, { method: 'POST' })

  expect(String(await closed)).toBe('4401,Your session has ended')
  expect(await events).toBe('data: hello\n\nevent: logout\ndata:\n\n')
  server.close()
  server.closeAllConnections()
})
