import { createAuthRouter, requireUser } from '@latchkey/express'
import { logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import { expect, test } from 'vitest'

test('the claims of a user are in the ID token, so a guard by role, claim and acr can be tested', async () => {
  await using identity = await startIdentity()
  const app = express()
  app.use(createAuthRouter(identity.clientOptions()))
  const guards = [
    ['/admin', { roles: ['admin'] }],
    ['/books', { claims: { department: 'books' } }],
    ['/payments', { acr: 'urn:example:mfa', respond: 'json' }],
  ] as const
  for (const [path, requirement] of guards) {
    app.get(path, requireUser(requirement), (_req, res) => void res.send('let in'))
  }
  const claims = { roles: ['admin'], department: 'books', acr: 'urn:example:mfa' }
  const admin = await logIn(app, await identity.createUser({ claims }))
  const other = await logIn(app, await identity.createUser({ claims: { roles: ['reader'] } }))

  const statuses = async (browser: typeof admin) => {
    const answers = []
    for (const [path] of guards) answers.push((await browser.get(path)).status)
    return answers
  }
  expect(await statuses(admin)).toEqual([200, 200, 200])
  expect(await statuses(other)).toEqual([403, 403, 401])
})
