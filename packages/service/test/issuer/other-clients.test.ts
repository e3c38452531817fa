import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, requiresAuth } from 'express-openid-connect'
import session from 'express-session'
import passport from 'passport'
import { type Profile, Strategy, type VerifyCallback } from 'passport-openidconnect'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startIssuer } from './support/issuer.ts'
import { obtainCode, post } from './support/token-endpoint.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

test.each([
  ['as they are', (text: string) => text],
  ['percent-encoded, every character', everyByte],
])('the token endpoint accepts Basic credentials %s', async (_how, encode) => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { application } = issuer
  const { form } = await obtainCode(issuer)
  const credentials = [application.id, issuer.secretOf(application)].map(encode).join(':')
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`

  const answer = await post(issuer, application, 'token', form, { authorization })

  expect(answer.status).toBe(200)
})

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

test('passport-openidconnect, which has no PKCE, is refused before anybody types a password, and its error says why', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const baseURL = `http://localhost:${(server.address() as AddressInfo).port}`
  const application = await issuer.addApplication({ redirectUrls: [`${baseURL}/callback`] })
  const logins = new passport.Passport()
  logins.use(
    new Strategy(
      {
        issuer: issuer.url,
        authorizationURL: `${issuer.url}/oidc/auth`,
        tokenURL: `${issuer.url}/oidc/token`,
        userInfoURL: `${issuer.url}/oidc/userinfo`,
        clientID: application.id,
        clientSecret: issuer.secretOf(application),
        callbackURL: `${baseURL}/callback`,
        scope: ['profile', 'email'],
      },
      (_issuer: string, profile: Profile, done: VerifyCallback) => done(null, profile),
    ),
  )
  app.use(session({ secret: 'a long secret', resave: false, saveUninitialized: false }))
  app.get('/login', logins.authenticate('openidconnect'))
  app.get('/callback', logins.authenticate('openidconnect'))
  app.use(((error: Error & { code?: string }, _request, response, _next) => {
    response.status(500).json({ code: error.code, message: error.message })
  }) satisfies express.ErrorRequestHandler)

  const browser = createBrowser(issuer)
  const sentAway = await browser.peek(`${baseURL}/login`)
  const refused = await browser.get(sentAway.location ?? '')
  const callback = new URL(refused.location ?? '')
  expect(callback.origin).toBe(baseURL)
  expect(callback.searchParams.get('state')).toBeTruthy()
  expect(callback.searchParams.get('iss')).toBe(issuer.url)
  const told = await browser.peek(callback.href)
  expect(JSON.parse(told.html)).toEqual({
    code: 'invalid_request',
    message: 'Authorization Server policy requires PKCE to be used for this request',
  })
  server.closeAllConnections()
  server.close()
})
