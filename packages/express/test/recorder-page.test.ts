import { fileURLToPath } from 'node:url'
import { requireUser } from '@latchkey/express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { keepPicture, overflows, sizes, violationsOf } from '../../../test/support/look.ts'
import { keyLink } from './support/errors.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let browser: Browser

beforeAll(async () => {
  // The recorder is looked for beside the program that runs, which is the test runner here.
  const program = process.argv[1] as string
  process.argv[1] = fileURLToPath(import.meta.url)
  site = await startSite((app) => {
    app.get('/', (_req, res) => void res.send('home'))
    app.get('/account', requireUser(), (_req, res) => void res.send('in'))
    app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('never'))
  })
  process.argv[1] = program
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

test('a developer follows the link of a refusal to the flight recorder, and reads it on every device', async () => {
  const page = await (await browser.newContext()).newPage()
  const errors: string[] = []
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()))
  expect((await page.goto(`${site.url}/__latchkey`))?.status()).toBe(403)
  await look(page, 'locked')
  errors.length = 0
  await page.goto(keyLink(site.log))
  expect(page.url()).toBe(`${site.url}/__latchkey`)
  await look(page, 'empty')
  site.provider.fault = 'access_denied'
  await page.goto(`${site.url}/account`)
  site.provider.fault = undefined
  await page.goto(`${site.url}/account`)
  expect((await page.goto(`${site.url}/admin`))?.status()).toBe(403)
  errors.length = 0

  await page.getByRole('link', { name: 'What happened, step by step' }).click()
  await page.getByRole('heading', { name: 'Login recorder' }).waitFor()
  // The latest is open.
  for (const flight of (await page.locator('summary').all()).slice(1)) await flight.click()

  const text = (await page.locator('main').textContent()) ?? ''
  expect(text).toContain('GET /admin: 403 LATCHKEY_FORBIDDEN')
  expect(text).toContain('Login: logged in')
  expect(text).toContain('Login: 403 LATCHKEY_LOGIN_DENIED')
  expect(await page.getByLabel('Copy as report').inputValue()).toContain('LATCHKEY_FORBIDDEN')
  await look(page, 'full')
  expect(errors).toEqual([])
  await page.context().close()
})

async function look(page: Page, what: string): Promise<void> {
  for (const device of ['desktop', 'phone', 'narrowest'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(sizes[device])
      await page.emulateMedia({ colorScheme })
      await keepPicture(page, `recorder-${what}-${device}-${colorScheme}`)
      expect(await violationsOf(page, colorScheme === 'dark')).toEqual([])
      expect(await overflows(page)).toBe(false)
    }
  }
}
