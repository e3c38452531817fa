import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'
import { expect, test } from 'vitest'
import { logIn, startIdentity } from '../src/index.ts'

async function start() {
  const identity = await startIdentity()
  const app = express()
  app.use(createAuthRouter(identity.clientOptions()))
  app.get('/account', requireUser(), ({ auth }, res) => {
    const { acr, amr } = auth.session ?? {}
    res.json({ email: auth.user?.email, acr, amr })
  })
  return { identity, app }
}

test('a user logs in with a virtual key, which is added in one line', async () => {
  const { identity, app } = await start()
  await using _ = identity
  const ada = await identity.createUser({ email: 'ada@example.com' })

  await identity.virtualKey(ada)

  const browser = await logIn(app, ada)
  const { body } = await browser.get('/account')
  expect(body).toEqual({ email: ada.email, acr: 'phr', amr: ['swk', 'user', 'mfa'] })
})

test('a virtual key without PIN follows the password', async () => {
  const { identity, app } = await start()
  await using _ = identity
  const ada = await identity.createUser()

  await identity.virtualKey(ada, { verifiesUser: false, isSyncable: false })

  const browser = await logIn(app, ada)
  const { body } = await browser.get('/account')
  expect(body).toMatchObject({ acr: 'phrh', amr: ['pwd', 'hwk', 'user', 'mfa'] })
  const grace = await identity.createUser()
  const { body: other } = await (await logIn(app, grace)).get('/account')
  expect(other).toMatchObject({ email: grace.email, amr: ['pwd'] })
})

test('an option of a virtual key that is not known is refused', async () => {
  const { identity } = await start()
  await using _ = identity
  const ada = await identity.createUser()
  const options = { verifyUser: true } as object
  await expect(identity.virtualKey(ada, options)).rejects.toThrow(/"verifyUser".*"verifiesUser"/s)
})
