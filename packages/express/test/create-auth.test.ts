import { type AuthOptions, createAuth, requireUser } from '@latchkey/express'
import { logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import { expect, test } from 'vitest'

test('createAuth() logs users in, as createAuthRouter() does', async () => {
  await using identity = await startIdentity()
  const options: AuthOptions = identity.clientOptions()
  const auth = createAuth(options)
  const app = express()
  app.use(auth)
  app.get('/account', requireUser(), (req, res) => void res.send(auth.getUser(req).email))

  const browser = await logIn(app, await identity.createUser({ email: 'ada@example.com' }))

  expect((await browser.get('/account')).text).toBe('ada@example.com')
})

test('createAuth() that is called as a middleware names the call that is missing', () => {
  // @ts-expect-error The parentheses are missing.
  const mount = (): unknown => createAuth({}, {}, () => {})
  expect(mount).toThrow('Parentheses are missing: write createAuth(), as in app.use(createAuth()).')
})
