import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import { expect, test } from 'vitest'

test('a logged-in user sees their account', async () => {
  await using identity = await startIdentity()
  const app = express()
  app.use(createAuthRouter(identity.clientOptions()))
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).email}`))

  const ada = await identity.createUser({ email: 'ada@example.com' })
  const browser = await logIn(app, ada)

  expect((await browser.get('/account')).text).toBe('Hello ada@example.com')
})
