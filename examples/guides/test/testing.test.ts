// #region imports
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { assertGuarded, logIn, startIdentity } from '@latchkey/testing'
import express, { type Express } from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'

// #endregion

function createApp(options: Parameters<typeof createAuthRouter>[0]): Express {
  const app = express()
  app.use(createAuthRouter(options))
  app.get('/', (_req, res) => void res.send('Welcome'))
  app.get('/account', requireUser(), (req, res) => {
    res.type('text').send(`Hello ${getUser(req).email}`)
  })
  app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => {
    res.send('Hello admin')
  })
  app.get('/keys', requireUser({ acr: 'https://refeds.org/profile/mfa' }), (_req, res) => {
    res.send('Hello two factors')
  })
  return app
}

// #region one-line
test('a logged-in user sees their account', async () => {
  await using identity = await startIdentity()
  const app = createApp(identity.clientOptions())
  const ada = await identity.createUser({ email: 'ada@example.com' })

  const browser = await logIn(app, ada)

  expect((await browser.get('/account')).text).toBe('Hello ada@example.com')
})
// #endregion

// #region flow
test('a visitor who asks for their account logs in, and lands there', async () => {
  await using identity = await startIdentity()
  const ada = await identity.createUser()
  const browser = request.agent(createApp(identity.clientOptions()))

  const turnedAway = await browser.get('/account').set('accept', 'text/html')
  const back = await identity.logIn(browser, turnedAway.headers.location ?? '', ada)

  expect(back.headers.location).toBe('/account')
})
// #endregion

// #region refused
test('a user without the role is refused, and not sent to log in again', async () => {
  await using identity = await startIdentity()
  const browser = await logIn(createApp(identity.clientOptions()), await identity.createUser())

  const answer = await browser.get('/admin').set('accept', 'text/html')

  expect(answer.status).toBe(403)
})
// #endregion

// #region guarded
test('every route but the home page asks for a login', async () => {
  await using identity = await startIdentity()

  await assertGuarded(createApp(identity.clientOptions()), { public: ['/'] })
})
// #endregion

// #region totp
test('a user with an authenticator app reaches a page that asks for two factors', async () => {
  await using identity = await startIdentity()
  const ada = await identity.createUser()
  await ada.totp()

  const browser = await logIn(createApp(identity.clientOptions()), ada)

  expect((await browser.get('/keys')).text).toBe('Hello two factors')
})
// #endregion

// #region claims
test('an admin sees the page of admins', async () => {
  await using identity = await startIdentity()
  const ada = await identity.createUser({ claims: { roles: ['admin'] } })

  const browser = await logIn(createApp(identity.clientOptions()), ada)

  expect((await browser.get('/admin')).text).toBe('Hello admin')
})
// #endregion

// #region clock
test('a session ends after a day without a request', async () => {
  await using identity = await startIdentity()
  const browser = await logIn(createApp(identity.clientOptions()), await identity.createUser())

  identity.clock.advance(86_401)

  expect((await browser.get('/account')).status).toBe(401)
})
// #endregion
