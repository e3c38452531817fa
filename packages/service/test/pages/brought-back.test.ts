import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../issuer/support/client.ts'
import { instantPasswords } from '../issuer/support/instant-passwords.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { startApplication, startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

let issuer: TestIssuer
let site: Awaited<ReturnType<typeof startApplication>>
let app: Client
let chromium: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  chromium = await startChromium()
  site = await startApplication()
  issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  app = await createClient(issuer, await issuer.addApplication(site.input))
})

afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
})

/** The event of a page that the browser brings back as it was, from its back-forward cache. */
const BRING_BACK = `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`

test('a login page that the browser brings back after the login was finished shows the way on', async () => {
  const page = await chromium.open({ locale: 'en' })
  await page.goto((await app.begin()).url)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.fill('#email', ada.email)
  await other.fill('#password', ada.password)
  await other.click('button[type=submit]')
  await other.waitForURL(/callback\?code=/)

  await page.evaluate(BRING_BACK)

  await expect.poll(() => page.title()).toContain('You are logged in already')
  expect(await page.textContent('main')).toContain(ada.email)
})

test('a login page that the browser brings back while the login goes on is the form, without the password', async () => {
  const page = await chromium.open({ locale: 'en' })
  await page.goto((await app.begin()).url)
  await page.fill('#password', ada.password)
  await Promise.all([page.waitForEvent('load'), page.evaluate(BRING_BACK)])
  expect(await page.inputValue('#password')).toBe('')
})
