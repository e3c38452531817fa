import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, requiresAuth } from 'express-openid-connect'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

test('express-openid-connect logs a user in and out against the issuer', async () => {
  await using issuer = await startIssuer()
  const domain = `localhost:${issuer.port}`
  await issuer.changeSettings({ domain })
  await issuer.addUser(ada)

  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const baseURL = `http://localhost:${(server.address() as AddressInfo).port}`
  const application = await issuer.addApplication({
    loginUrl: `${baseURL}/login`,
    redirectUrls: [`${baseURL}/callback`],
    logoutUrls: [baseURL],
  })
  app.use(
    auth({
      issuerBaseURL: `http://${domain}`,
      baseURL,
      clientID: application.id,
      clientSecret: issuer.secretOf(application),
      secret: 'a long secret for the session of the application',
      authRequired: false,
      idpLogout: true,
      authorizationParams: { response_type: 'code', scope: 'openid email profile' },
    }),
  )
  app.get('/me', requiresAuth(), (request, response) => {
    response.json(request.oidc.user)
  })
  app.get('/', (request, response) => {
    response.json({ isAuthenticated: request.oidc.isAuthenticated() })
  })

  const browser = createBrowser({ url: `http://${domain}`, fetch: issuer.fetch })
  const turnedAway = await browser.peek(`${baseURL}/me`)
  const form = await browser.get(turnedAway.location ?? '')
  const callback = await browser.submit(form, ada)
  const returned = await browser.peek(callback.location ?? '')
  expect(new URL(returned.location ?? '', baseURL).pathname).toBe('/me')
  const me = await browser.peek(`${baseURL}/me`)
  expect(JSON.parse(me.html)).toMatchObject({ email: ada.email, name: 'Ada Lovelace' })

  const leaving = await browser.peek(`${baseURL}/logout`)
  const left = await browser.get(leaving.location ?? '')
  expect(new URL(left.location ?? '').origin).toBe(baseURL)
  expect(JSON.parse((await browser.peek(`${baseURL}/`)).html)).toEqual({ isAuthenticated: false })
  server.closeAllConnections()
  server.close()
})
