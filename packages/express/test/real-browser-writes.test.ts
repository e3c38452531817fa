import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express from 'express'
import { expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { SESSION_SECRET } from './support/app.ts'

async function listen(server: Server, host: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

test('in a real browser a form of the application passes the guard, also when it is sent again, and a form of a sibling host does not', async () => {
  await using provider = await startMisbehavingProvider()
  const app = express()
  const server = createServer(app)
  const baseUrl = await listen(server, 'app.shop.localhost')
  const { issuer, clientId, clientSecret } = provider
  const options = { issuer, clientId, clientSecret, baseUrl, logger: false as const }
  app.use(createAuthRouter({ ...options, session: { secret: SESSION_SECRET } }))
  let sent = 0
  const form = `<form method="post" action="${baseUrl}/transfer"><button>Send</button></form>`
  app.get('/form', requireUser(), (_req, res) => void res.send(form))
  app.post('/transfer', requireUser(), (_req, res) => {
    sent++
    res.send('<main>sent</main>')
  })
  const sibling = createServer((_req, res) => res.setHeader('content-type', 'text/html').end(form))
  const siblingUrl = await listen(sibling, 'blog.shop.localhost')
  const browser = await launchChromium()
  try {
    const tab = await browser.newPage()
    await tab.goto(`${baseUrl}/form`)
    expect(tab.url()).toBe(`${baseUrl}/form`)

    await Promise.all([tab.waitForURL(`${baseUrl}/transfer`), tab.click('button')])
    expect(await tab.textContent('main')).toBe('sent')
    await tab.reload()
    expect([await tab.textContent('main'), sent]).toEqual(['sent', 2])

    await tab.goto(siblingUrl)
    const [request] = await Promise.all([
      tab.waitForRequest(`${baseUrl}/transfer`),
      tab.waitForURL(`${baseUrl}/transfer`),
      tab.click('button'),
    ])

    const headers = await request.allHeaders()
    expect(headers['sec-fetch-site']).toBe('same-site')
    expect(headers.cookie, 'the browser sends the session along').toContain('latchkey=')
    expect(await tab.textContent('body')).toContain('LATCHKEY_REQUEST_FORGED')
    expect(sent).toBe(2)
  } finally {
    await browser.close()
    for (const one of [server, sibling]) {
      one.closeAllConnections()
      one.close()
    }
  }
})
