import { logIn, startIdentity } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { createApp } from '../src/app.ts'

test('the example under NestJS lets logged-in users in, and logs them out', async () => {
  await using identity = await startIdentity()
  const app = await createApp(identity.clientOptions())
  const browser = await logIn(app, await identity.createUser({ name: 'Ada' }))

  expect((await browser.get('/account')).text).toContain('Ada')
  await browser.post('/logout').set('origin', 'http://localhost:3000')
  expect((await browser.get('/account')).status).toBe(401)
  await app.close()
})
