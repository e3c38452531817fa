import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createRoutesApp } from '../src/routes.ts'
import { type Running, start } from './support.ts'

let site: Running
let browser: Browser

beforeAll(async () => {
  site = await start(createRoutesApp)
})
beforeEach(() => {
  browser = createBrowser()
  site.provider.fault = undefined
  site.provider.user = { sub: 'ada', email: 'Ada@example.com' }
})
afterAll(() => site.close())

test('the login button leads to the page it names, with a typed user', async () => {
  const home = await browser.open(`${site.url}/`)
  const [, href = ''] = /href="([^"]+)"/.exec(home.text) ?? []
  const visit = await browser.open(site.url + href)
  expect(visit.url.pathname).toBe('/mail')
  expect(visit.text).toBe('ada@example.com')
})

test('the logout button of the renamed route logs out', async () => {
  await browser.open(`${site.url}/mail`)
  const headers = { origin: site.url }
  await browser.send(`${site.url}/auth/logout`, { method: 'POST', headers })
  expect((await browser.open(`${site.url}/`)).text).toContain('Log in')
})

test('the hook gives the user the id of their account', async () => {
  const { text } = await browser.open(`${site.url}/account-id`)
  expect(Number(text)).toBeGreaterThan(0)
})

test('a banned user is turned away, and a claim that is missing refuses the login', async () => {
  site.provider.user = { sub: 'mallory', email: 'mallory@example.com' }
  expect((await browser.open(`${site.url}/mail`)).response.status).toBe(403)
  site.provider.user = { sub: 'bob' }
  expect((await browser.open(`${site.url}/mail`)).text).toContain('LATCHKEY_TOKEN_INVALID')
})

test('a sign-up begins at a route of the application', async () => {
  expect((await browser.open(`${site.url}/join`)).url.pathname).toBe('/mail')
})

test('a cancelled login shows the page of the application', async () => {
  const begun = await browser.open(`${site.url}/mail`, ({ origin }) => origin !== site.url)
  const state = begun.url.searchParams.get('state') ?? ''
  const query = new URLSearchParams({ error: 'access_denied', state, iss: site.provider.issuer })
  const visit = await browser.open(`${site.url}/auth/callback?${query}`)
  expect(visit.response.status).toBe(403)
  expect(visit.text).toContain('You were not logged in')
})
