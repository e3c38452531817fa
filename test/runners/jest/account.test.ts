import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Identity, logIn, startIdentity } from '@latchkey/testing'
import type { Express } from 'express'
import request from 'supertest'
import { createApp } from '../app.ts'

let identity: Identity
let app: Express
beforeAll(async () => {
  identity = await startIdentity()
  app = createApp(identity.clientOptions())
})
afterAll(() => identity.close())

test('a visitor is asked to log in', async () => {
  const { status } = await request(app).get('/account').set('accept', 'text/html')
  expect(status).toBe(302)
})

test('a user sees their account until the next day', async () => {
  const browser = await logIn(app, await identity.createUser({ name: 'Ada' }))
  expect((await browser.get('/account')).text).toBe('Hello Ada')

  identity.clock.advance(24 * 60 * 60 + 1)
  expect((await browser.get('/account')).status).toBe(401)
})
