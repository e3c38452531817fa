import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createApp } from '../src/silent-login.ts'
import { type Running, start } from './support.ts'

let site: Running
beforeAll(async () => {
  site = await start(createApp)
})
beforeEach(() => {
  site.provider.fault = undefined
})
afterAll(() => site.close())

test('the public page greets users who are logged in at the provider, and treats all others as visitors', async () => {
  expect((await createBrowser().open(site.url)).text).toBe('Hello ada')
  site.provider.fault = 'login_required'
  expect((await createBrowser().open(site.url)).text).toBe('Hello')
})

test('a login that was not begun by a page ends at /start', async () => {
  expect((await createBrowser().open(`${site.url}/login`)).url.pathname).toBe('/start')
})

test('the page for members asks to log in first', async () => {
  site.provider.fault = 'login_required'
  const { response, text } = await createBrowser().open(`${site.url}/members`)
  expect(response.status).toBe(401)
  expect(text).toContain('href="/login?returnTo=%2Fmembers"')
})
