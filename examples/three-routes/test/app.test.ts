import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import { expect, test } from 'vitest'
import { accountPage, homePage } from '../src/pages.ts'

test('the pages show who is logged in, the session and what the guard decided', async () => {
  await using identity = await startIdentity()
  const app = express()
  app.use(createAuthRouter(identity.clientOptions()))
  app.get('/', (req, res) => void res.send(homePage(req.auth)))
  app.get(
    '/account',
    requireUser(),
    (req, res) => void res.send(accountPage(getUser(req), req.auth.session)),
  )
  const ada = await identity.createUser({ name: 'Ada <Lovelace>' })
  const browser = await logIn(app, ada)

  const home = (await browser.get('/')).text
  const { text } = await browser.get('/account')

  expect(home).toContain('Logged in as <strong>Ada &lt;Lovelace&gt;</strong>')
  expect(home).toContain('<link rel="icon" href="data:image/svg+xml,')
  expect(text).toContain('The guard let you in.')
  expect(text).toContain(identity.issuer)
  expect(text).toMatch(/logged in<\/th><td>\d{4}-/)
})
