import { type Identity, logInPage, startIdentity, type TestUser } from '@latchkey/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../../test/support/chromium.ts'
import { buildFixture, type Served, serveFixture } from './fixture.ts'

/** Tries the pages of the fixture in a browser, served as `next start` does. */
export function tryPages(): void {
  let identity: Identity
  let ada: TestUser
  let served: Served
  let browser: Browser

  beforeAll(async () => {
    await buildFixture()
    identity = await startIdentity({ listen: true })
    ada = await identity.createUser({ email: 'ada@example.com' })
    served = await serveFixture((baseUrl) => settingsFor(identity, baseUrl))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
    await identity?.close()
  })

  test('a visitor who asks for a guarded page logs in, and returns to it with its query', async () => {
    const page = await open(browser)
    await logInPage(page, `${served.baseUrl}/pages/account?tab=2`, ada)
    expect(page.url()).toBe(`${served.baseUrl}/pages/account?tab=2`)
    expect(await page.textContent('#who')).toBe('Logged in as ada@example.com')
    await page.reload()
    expect(await page.textContent('#who')).toBe('Logged in as ada@example.com')
  })

  test('a link of Next.js leads a visitor to the login, and back to the page that it names', async () => {
    const page = await open(browser)
    await page.goto(`${served.baseUrl}/pages/static`)
    await page.waitForLoadState('networkidle')
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Email address').waitFor()
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.locator('#who').waitFor()
    expect(page.url()).toBe(`${served.baseUrl}/pages/account`)
  })

  test('a user who may not see a page is told so with 403, and its content is not in the answer', async () => {
    const page = await open(browser)
    await logInPage(page, `${served.baseUrl}/pages/account`, ada)
    const answer = await page.goto(`${served.baseUrl}/pages/admin`)
    expect(answer?.status()).toBe(403)
    expect(await page.textContent('body')).toContain('You may not see this.')
    expect(await page.content()).not.toContain('the secret of the admin')
  })

  test('no page is stored by a shared cache', async () => {
    const page = await open(browser)
    await logInPage(page, `${served.baseUrl}/pages/account`, ada)
    const answer = await page.reload()
    expect(answer?.headers()['cache-control']).toMatch(/private|no-store/)
  })

  test('a server action keeps data, sends a visitor to log in, and logs a user out', async () => {
    const page = await open(browser)
    const state = page.locator('#state')
    await page.goto(`${served.baseUrl}/pages/actions`)
    await page.getByRole('button', { name: 'Remember' }).click()
    await page.getByText('out, 0 items, seen true').waitFor()

    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByLabel('Email address').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await state.waitFor()
    expect(page.url()).toBe(`${served.baseUrl}/pages/actions`)
    expect(await state.textContent()).toContain('in, 0 items')

    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByText('in, 1 items').waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL((url) => !url.pathname.startsWith('/pages'))
    await page.goto(`${served.baseUrl}/pages/actions`)
    expect(await state.textContent()).toContain('out, 0 items')
  })

  test('a request with forged host headers does not change where a login ends', async () => {
    const answer = await fetch(`${served.baseUrl}/pages/account?tab=3`, {
      headers: { 'x-latchkey-asked': 'GET https://elsewhere.example/', accept: 'text/html' },
      redirect: 'manual',
    })
    const to = new URL(answer.headers.get('location') ?? '', served.baseUrl)
    expect([answer.status, to.pathname]).toEqual([307, '/login'])
    expect(to.searchParams.get('returnTo')).toBe('/pages/account?tab=3')
  })

  test('faults of the settings are named by the first request, and no page is shown', async () => {
    const other = await serveFixture(() => ({ LATCHKEY_ISSUER: 'https://login.example.com' }))
    try {
      expect(other.output()).not.toContain('LATCHKEY')
      const answer = await fetch(`${other.baseUrl}/pages/account`)
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toContain('Logged in')
      expect(other.output()).toContain('Latchkey cannot start:')
      expect(other.output()).toContain('"clientId" (or LATCHKEY_CLIENT_ID) is not set.')
    } finally {
      await other.stop()
    }
  })
}

function settingsFor(identity: Identity, baseUrl: string): Record<string, string> {
  const { issuer, clientId, clientSecret } = identity.clientOptions({ baseUrl })
  return {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_SECRET: clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: 'a secret of tests that protects nothing',
  }
}

async function open(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage()
}
