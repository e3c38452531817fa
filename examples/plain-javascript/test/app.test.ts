import { logIn, startIdentity } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { createApp } from '../src/app.js'

test('an application in plain JavaScript shows its user their account', async () => {
  await using identity = await startIdentity()
  const app = createApp(identity.clientOptions())
  const browser = await logIn(app, await identity.createUser({ name: 'Ada Lovelace' }))

  const { text } = await browser.get('/account')

  expect(text).toContain('Logged in as <strong>Ada Lovelace</strong>')
  expect(text).toContain('https://login.test')
})
