import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { logIn, startIdentity } from '@latchkey/testing'
import request from 'supertest'
import { createApp } from '../app.ts'

const identity = await startIdentity()
after(() => identity.close())
const app = createApp(identity.clientOptions())

void test('a visitor is asked to log in', async () => {
  const { status } = await request(app).get('/account').set('accept', 'text/html')
  assert.equal(status, 302)
})

void test('a user sees their account until the next day', async () => {
  const browser = await logIn(app, await identity.createUser({ name: 'Ada' }))
  assert.equal((await browser.get('/account')).text, 'Hello Ada')

  identity.clock.advance(24 * 60 * 60 + 1)
  assert.equal((await browser.get('/account')).status, 401)
})
