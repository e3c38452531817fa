import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'
import { expect, test } from 'vitest'
import { logIn, startIdentity } from '../src/index.ts'

async function start() {
  const identity = await startIdentity()
  const app = express()
  app.use(createAuthRouter(identity.clientOptions()))
  app.get('/account', requireUser(), ({ auth }, res) => {
    const { email, email_verified: isVerified } = auth.user ?? {}
    res.json({ email, isVerified, amr: auth.session?.amr })
  })
  return { identity, app }
}

test('users of an upstream, which is added in one line, log in through both', async () => {
  const { identity, app } = await start()
  await using _ = identity

  const upstream = await identity.upstream()
  const ada = await upstream.createUser({ email: 'ada@example.com' })

  for (const _ of [1, 2]) {
    const browser = await logIn(app, ada)
    const { body } = await browser.get('/account')
    expect(body).toEqual({ email: ada.email, isVerified: true, amr: ['fed'] })
  }
  const grace = await identity.createUser({ email: 'grace@example.com' })
  const { body } = await (await logIn(app, grace)).get('/account')
  expect(body).toMatchObject({ email: grace.email, amr: ['pwd'] })
})

test('a login at an upstream that stops at a page says so', async () => {
  const { identity, app } = await start()
  await using _ = identity
  const upstream = await identity.upstream({ name: 'Work' })
  const eve = await upstream.createUser({ email: 'eve@example.com', disabled: true })
  const bob = await upstream.createUser({ email: 'bob@example.com', verified: false })

  for (const user of [eve, bob]) {
    await expect(logIn(app, user)).rejects.toMatchObject({ code: 'LATCHKEY_TEST_LOGIN_REFUSED' })
  }
})

test('an option of an upstream that is not known is refused', async () => {
  const { identity } = await start()
  await using _ = identity
  await expect(identity.upstream({ nme: 'x' } as object)).rejects.toThrow(/"nme".*"name"/s)
})
