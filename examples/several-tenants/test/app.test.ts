import { type Identity, startIdentity } from '@latchkey/testing'
import type { Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'

let acme: Identity
let globex: Identity
let app: Express
beforeAll(async () => {
  acme = await startIdentity({ listen: true, domain: 'acme.localhost' })
  globex = await startIdentity({ listen: true, domain: 'globex.localhost' })
  const { baseUrl, session } = globex.clientOptions()
  const companies = {
    acme: { name: 'Acme', ...acme.clientOptions() },
    globex: { name: 'Globex', ...globex.clientOptions() },
  }
  app = createApp(companies, { baseUrl, session, allowPrivateIssuers: true })
})
afterAll(() => Promise.all([acme.close(), globex.close()]))

const open = (browser: ReturnType<typeof request.agent>, path: string) =>
  browser.get(path).set('accept', 'text/html')

test('a user who chose a company logs in there, and is not logged in at another', async () => {
  const browser = request.agent(app)
  const olga = await globex.createUser({ name: 'Olga' })
  await browser.post('/company/globex')

  const askedToLogIn = await open(browser, '/account')
  await globex.logIn(browser, askedToLogIn.headers.location as string, olga)
  expect((await open(browser, '/account')).text).toContain('Logged in as <strong>Olga</strong>')

  await browser.post('/company/acme')
  expect((await open(browser, '/')).text).not.toContain('Olga')
  expect((await open(browser, '/account')).headers.location).toContain(acme.issuer)

  await browser.post('/company/globex')
  expect((await open(browser, '/account')).text).toContain('Olga')
})

test('a company that does not exist is not found', async () => {
  expect((await request(app).post('/company/__proto__')).status).toBe(404)
})
