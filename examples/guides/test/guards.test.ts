import { createAuthRouter } from '@latchkey/express'
import express from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, createBrowser } from '../../../packages/express/test/support/browser.ts'
import { addGuardedRoutes } from '../src/guards.ts'
import { type Running, start } from './support.ts'

let site: Running
let browser: Browser

beforeAll(async () => {
  site = await start((connection) => {
    const app = express()
    app.use(createAuthRouter(connection))
    addGuardedRoutes(app)
    return app
  })
})
beforeEach(() => {
  browser = createBrowser()
})
afterAll(() => site.close())

async function open(path: string, user: Record<string, unknown>): Promise<string> {
  site.provider.user = user
  const { response, text } = await browser.open(site.url + path)
  return response.ok ? text : String(response.status)
}

test.for([
  ['/account', { sub: 'ada', name: 'Ada' }, 'Hello Ada'],
  ['/staff', { sub: 'ada', roles: ['editor'] }, 'For admins and for editors'],
  ['/staff', { sub: 'ada', roles: ['guest'] }, '403'],
  ['/books', { sub: 'ada', roles: ['staff', 'accounting'] }, 'For staff who do the accounting'],
  ['/books', { sub: 'ada', roles: ['staff'] }, '403'],
  ['/menu', { sub: 'ada', roles: ['admin'] }, 'Home'],
  ['/invite', { sub: 'ada', email_verified: true }, 'For users whose address is verified'],
  ['/invite', { sub: 'ada' }, '403'],
  ['/orgs/acme', { sub: 'ada', org: 'acme' }, 'For members of acme'],
  ['/orgs/acme', { sub: 'ada', org: 'other' }, '403'],
  ['/reports', { sub: 'ada' }, 'For auditors soon, and for every user until then'],
  ['/documents/1', { sub: 'ada' }, 'For the owner of the document'],
  ['/documents/1', { sub: 'bob' }, '403'],
  ['/payments', { sub: 'ada', acr: 'urn:example:mfa' }, 'For users who logged in with two factors'],
  ['/payments', { sub: 'ada', acr: 'pwd' }, '403'],
] as const)('%s answers %o with %s', async ([path, user, answer]) => {
  expect(await open(path, user)).toBe(answer)
})

test('a page that needs no login greets a logged-in user', async () => {
  expect(await open('/', {})).toBe('Hello stranger')
  await open('/account', { sub: 'ada', name: 'Ada' })
  expect(await open('/', {})).toBe('Hello Ada')
})

test('the menu has one more entry for a logged-in admin', async () => {
  const roles = ['admin']
  await open('/account', { sub: 'ada', roles })
  expect(await open('/menu', {})).toBe('Home, Users')
})

test('the API answers 401 with the address of the login, and then the user', async () => {
  const refused = await browser.send(`${site.url}/api/me`)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({
    code: 'LATCHKEY_LOGIN_REQUIRED',
    loginUrl: '/login',
  })

  await open('/account', { sub: 'ada', name: 'Ada' })
  expect(await (await browser.send(`${site.url}/api/me`)).json()).toMatchObject({ sub: 'ada' })
})
