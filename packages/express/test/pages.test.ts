import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import {
  faultsWhenAdapted,
  keepPicture,
  overflows,
  sizes,
  violationsOf,
} from '../../../test/support/look.ts'
import { compareTree } from '../../../test/support/tree.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  site = await startSite((app) => {
    app.get('/', (_req, res) => void res.send('<h1>The start page</h1>'))
    app.get('/account', requireUser(), (_req, res) => void res.send('<h1>The account</h1>'))
    app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('never'))
  })
  browser = await launchChromium()
  context = await browser.newContext()
})
afterAll(async () => {
  await browser?.close()
  await site.close()
})

async function looksGood(page: Page, name: string): Promise<void> {
  expect(await page.locator('main > svg.icon[aria-hidden]').count()).toBe(1)
  for (const device of ['desktop', 'phone', 'narrowest'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(sizes[device])
      await page.emulateMedia({ colorScheme })
      await keepPicture(page, `kit-${name}-${device}-${colorScheme}`)
      expect(await violationsOf(page, colorScheme === 'dark')).toEqual([])
      expect(await overflows(page)).toBe(false)
    }
  }
  await compareTree(page, `kit-${name}`)
  expect(await faultsWhenAdapted(page)).toEqual([])
}

test('the question whether to log out has a link back that keeps the user logged in', async () => {
  const page = await context.newPage()
  await page.goto(`${site.url}/account`)
  await page.goto(`${site.url}/logout`)
  await page.getByRole('heading', { name: 'Log out?' }).waitFor()
  await looksGood(page, 'logout')
  await page.getByRole('link', { name: 'Stay logged in' }).click()
  await page.getByRole('heading', { name: 'The start page' }).waitFor()
  await page.goto(`${site.url}/account`)
  await page.getByRole('heading', { name: 'The account' }).waitFor()
})

test('an error page says what to do, and leads to a new login and to the start page', async () => {
  const page = await (await browser.newContext()).newPage()
  site.provider.fault = 'access_denied'
  await page.goto(`${site.url}/account`)
  site.provider.fault = undefined
  await page.getByRole('heading', { name: 'You were not logged in' }).waitFor()
  expect(await page.textContent('main')).toContain('You can try again.')
  await looksGood(page, 'error')
  const login = page.getByRole('link', { name: 'Log in' })
  expect(await login.getAttribute('href')).toBe('/login')
  await page.getByRole('link', { name: 'Start page' }).click()
  await page.getByRole('heading', { name: 'The start page' }).waitFor()
})

test('a user who is refused is led to the start page by the one button of the page', async () => {
  const page = await context.newPage()
  await page.goto(`${site.url}/admin`)
  await page.getByRole('heading', { name: 'You are not allowed to see this' }).waitFor()
  await looksGood(page, 'forbidden')
  expect(await page.locator('a.button').getAttribute('href')).toBe('/')
})

test('an error at the start page itself does not lead there', async () => {
  const page = await context.newPage()
  const shop = await startSite((app) => {
    app.get('/', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('never'))
  })
  await using _ = shop
  await page.goto(shop.url)
  await page.getByRole('heading', { name: 'You are not allowed to see this' }).waitFor()
  expect(await page.getByRole('link', { name: 'Start page' }).count()).toBe(0)
})

test('pages are in the language that the browser prefers, and in the words of the application', async () => {
  const texts = {
    fr: { askLogout: 'Se déconnecter ?', logOut: 'Se déconnecter', stayLoggedIn: 'Rester' },
    de: { stayLoggedIn: 'Doch nicht' },
  }
  await using own = await startSite(() => {}, { texts })
  const titles: Record<string, string> = {
    'de-AT,de;q=0.9,en;q=0.8': 'Abmelden?',
    'fr,de;q=0.5': 'Se déconnecter ?',
    'ja,sv;q=0.9': 'Log out?',
    'de;q=0,en': 'Log out?',
  }
  for (const [accepted, title] of Object.entries(titles)) {
    const answer = await fetch(`${own.url}/logout`, { headers: { 'accept-language': accepted } })
    expect(await answer.text()).toContain(`<h1>${title}</h1>`)
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-language')
  }

  const german = await browser.newContext({ locale: 'de-DE' })
  const page = await german.newPage()
  await page.goto(`${own.url}/logout`)
  await page.getByRole('link', { name: 'Doch nicht' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await looksGood(page, 'logout-german')
  own.provider.fault = 'access_denied'
  await page.goto(`${own.url}/login`)
  await page.getByRole('heading', { name: 'Sie wurden nicht angemeldet' }).waitFor()
  await looksGood(page, 'error-german')
  await german.close()
})

test('a page in Arabic goes from right to left, and a text that is missing there is English from left to right', async () => {
  const texts = { ar: { logOut: 'تسجيل الخروج', stayLoggedIn: 'البقاء' } }
  await using own = await startSite(() => {}, { texts })
  const arabic = await browser.newContext({ locale: 'ar' })
  const page = await arabic.newPage()
  await page.goto(`${own.url}/logout`)
  await page.getByRole('button', { name: 'تسجيل الخروج' }).waitFor()
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl')
  await page.getByRole('heading', { name: 'Log out?' }).waitFor()
  const lefts = await page.evaluate<number[]>(`[0, 7].map((at) => {
    const range = document.createRange()
    range.setStart(document.querySelector('h1').firstChild, at)
    range.setEnd(document.querySelector('h1').firstChild, at + 1)
    return range.getBoundingClientRect().left
  })`)
  expect(lefts[1]).toBeGreaterThan(lefts[0] ?? 0)
  await arabic.close()
})

test('a text of an unknown name is refused with the nearest one', () => {
  const start = (texts: object) => () => createAuthRouter({ texts } as AuthOptions)
  expect(start({ fr: { login: 'Entrer' } })).toThrow(
    /"texts\.fr\.login" is not an option\. Did you mean "texts\.fr\.logIn"/,
  )
  expect(start({ French: {} })).toThrow(/a member for each language/)
  expect(start({ fr: { errors: { LATCHKEY_FORBIDEN: {} } } })).toThrow(/LATCHKEY_FORBIDDEN/)
})
