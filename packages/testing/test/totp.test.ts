import { requireUser } from '@latchkey/express'
import { logIn, startIdentity, type TestingErrorCode } from '@latchkey/testing'
import request from 'supertest'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from './support/app.ts'

const MFA = 'https://refeds.org/profile/mfa'

test('a user with an authenticator app logs in through the page of the second step, by two factors', async () => {
  await using identity = await startIdentity()
  const app = createApp(identity.clientOptions())
  app.get('/strong', requireUser({ acr: MFA }), (req, res) => {
    res.json({ acr: req.auth.session?.acr, amr: req.auth.session?.amr })
  })
  const ada = await identity.createUser()
  expect(await ada.totp()).toMatch(/^[0-9]{6}$/)

  const browser = await logIn(app, ada)

  expect((await browser.get('/strong')).body).toEqual({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] })
})

test('a code is good once, so that a third login within 30 seconds waits for the clock', async () => {
  // Only the clock of the identity moves on, however long the logins take.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await using identity = await startIdentity()
  const app = createApp(identity.clientOptions())
  const ada = await identity.createUser()
  await ada.totp()
  identity.clock.advance(60)
  await logIn(app, ada)
  await logIn(app, ada)

  const code: TestingErrorCode = 'LATCHKEY_TEST_LOGIN_REFUSED'
  await expect(logIn(app, ada)).rejects.toMatchObject({
    code,
    message: expect.stringContaining('identity.clock.advance(30)'),
  })
  identity.clock.advance(30)
  await logIn(app, ada)
})

test('users without an app are not asked for a code, and those with one compare as before', async () => {
  await using identity = await startIdentity()
  const [ada, bob] = [await identity.createUser(), await identity.createUser()]
  await ada.totp()
  expect({ ...ada }).toEqual({
    id: ada.id,
    email: ada.email,
    password: ada.password,
    name: ada.name,
  })
  const app = createApp(identity.clientOptions())
  const agent = await logIn(app, bob)
  expect((await agent.get('/account')).status).toBe(200)
  expect((await request(app).get('/account')).status).not.toBe(200)
})
