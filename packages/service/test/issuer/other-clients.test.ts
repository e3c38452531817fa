import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, requiresAuth } from 'express-openid-connect'
import session from 'express-session'
import passport from 'passport'
import { type Profile, Strategy, type VerifyCallback } from 'passport-openidconnect'
import { expect, test } from 'vitest'
import type { Metadata } from '../../src/store/records.ts'
import { createBrowser } from './support/browser.ts'
import { startIssuer, type TestIssuer } from './support/issuer.ts'
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

/** An application with passport-openidconnect, which has no PKCE. */
async function startPassport(issuer: TestIssuer, options: { metadata: Metadata; nonce: boolean }) {
  // Its client knows no *.localhost.
  await issuer.changeSettings({ domain: `localhost:${issuer.port}` })
  const url = `http://localhost:${issuer.port}`
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`
  const application = await issuer.addApplication({
    redirectUrls: [`${baseUrl}/callback`],
    metadata: options.metadata,
  })
  const logins = new passport.Passport()
  const settings = {
    issuer: url,
    authorizationURL: `${url}/oidc/auth`,
    tokenURL: `${url}/oidc/token`,
    userInfoURL: `${url}/oidc/userinfo`,
    clientID: application.id,
    clientSecret: issuer.secretOf(application),
    callbackURL: `${baseUrl}/callback`,
    scope: ['profile', 'email'],
    // Any text switches it on.
    nonce: options.nonce ? 'yes' : '',
  }
  logins.use(
    new Strategy(settings, (_issuer: string, profile: Profile, done: VerifyCallback) =>
      done(null, profile),
    ),
  )
  app.use(session({ secret: 'a long secret', resave: false, saveUninitialized: false }))
  app.get('/login', logins.authenticate('openidconnect'))
  app.get('/callback', logins.authenticate('openidconnect', { session: false }), (req, res) => {
    res.json(req.user)
  })
  app.use(((error: Error & { code?: string }, _request, response, _next) => {
    response.status(500).json({ code: error.code, message: error.message })
  }) satisfies express.ErrorRequestHandler)
  return {
    url,
    baseUrl,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test.each([
  [
    {},
    false,
    'send a code_challenge with the method S256 (PKCE). For a library without it, register the application with the metadata latchkey_pkce: optional',
  ],
  [
    {},
    true,
    'send a code_challenge with the method S256 (PKCE). For a library without it, register the application with the metadata latchkey_pkce: optional',
  ],
  [
    { latchkey_pkce: 'optional' },
    false,
    'send a nonce, or a code_challenge with the method S256. For a library that has neither, register the application with the metadata latchkey_nonce: optional',
  ],
])(
  'passport-openidconnect, which has no PKCE, is refused before anybody types a password, and its error says why (metadata %o, nonce %s)',
  async (metadata, nonce, message) => {
    await using issuer = await startIssuer()
    await issuer.addUser(ada)
    using app = await startPassport(issuer, { metadata: metadata as Metadata, nonce })

    const browser = createBrowser({ url: app.url, fetch: issuer.fetch })
    const sentAway = await browser.peek(`${app.baseUrl}/login`)
    const refused = await browser.get(sentAway.location ?? '')
    const callback = new URL(refused.location ?? '')
    expect(callback.origin).toBe(app.baseUrl)
    expect(callback.searchParams.get('state')).toBeTruthy()
    expect(callback.searchParams.get('iss')).toBe(app.url)
    const told = await browser.peek(callback.href)
    expect(JSON.parse(told.html)).toEqual({ code: 'invalid_request', message })
  },
)

test('passport-openidconnect with a nonce logs a user in where PKCE is optional', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const metadata = { latchkey_pkce: 'optional' }
  using app = await startPassport(issuer, { metadata, nonce: true })

  const browser = createBrowser({ url: app.url, fetch: issuer.fetch })
  const sentAway = await browser.peek(`${app.baseUrl}/login`)
  const callback = await browser.submit(await browser.get(sentAway.location ?? ''), ada)
  const landed = await browser.peek(callback.location ?? '')
  expect(JSON.parse(landed.html)).toMatchObject({
    displayName: 'Ada Lovelace',
    emails: [{ value: ada.email }],
  })
})
