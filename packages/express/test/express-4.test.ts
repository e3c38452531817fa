import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express from 'express-4'
import { expect, test } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser } from './support/browser.ts'

test('under Express 4 a visitor logs in, keeps a session and logs out', async () => {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  app.use(
    createAuthRouter({
      issuer,
      clientId,
      clientSecret,
      baseUrl: url,
      session: { secret: SESSION_SECRET },
    }),
  )
  app.get('/private', requireUser(), (req, res) => {
    const session = req.session as unknown as { count?: number }
    session.count = (session.count ?? 0) + 1
    res.send(`${getUser(req).sub} ${session.count}`)
  })
  app.get('/broken', requireUser({ check: () => Promise.reject(new Error('down')) }))
  const browser = createBrowser()

  expect((await browser.open(`${url}/private`)).text).toBe('ada 1')
  expect((await browser.open(`${url}/private`)).text).toBe('ada 2')
  expect((await browser.open(`${url}/broken`)).response.status).toBe(500)
  await browser.send(`${url}/logout`, { method: 'POST', headers: { origin: url } })
  expect((await browser.send(`${url}/private`)).status).toBe(401)

  server.closeAllConnections()
  server.close()
  await provider.close()
})
