import { type Identity, logInPage, startIdentity, type TestUser } from '@latchkey/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

  test('a click on a link to a guarded page begins one login, and writes no error', async () => {
    const page = await open(browser)
    const logins: string[] = []
    const errors: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('code_challenge=')) logins.push(request.url())
    })
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(`${served.baseUrl}/pages/static`)
    await page.waitForLoadState('networkidle')
    await page.getByRole('link', { name: 'Account' }).hover()
    await page.getByRole('link', { name: 'Account' }).click()
    await page.getByLabel('Email address').waitFor()
    expect(errors).toEqual([])
    expect(logins).toHaveLength(1)
  })

  test('a link to the login itself begins one login, and none in advance', async () => {
    const answer = await fetch(`${served.baseUrl}/login`, {
      headers: { rsc: '1', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      redirect: 'manual',
    })
    const prefetched = await fetch(`${served.baseUrl}/login`, {
      headers: { 'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch;prerender' },
      redirect: 'manual',
    })
    expect([answer.status, prefetched.status]).toEqual([204, 204])
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('a check sees the address that the proxy saw, and none that a client sends', async () => {
    const cookie = await cookieOf(browser, served, ada)
    const answer = await fetch(`${served.baseUrl}/pages/inside`, {
      headers: { cookie, accept: 'text/html', 'x-latchkey-asked': 'POST /pages/other' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('the content behind the guard')
  })

  describe('on a page that the matcher of the proxy leaves out', () => {
    const outside = '/pages/outside'
    let cookie: string

    beforeAll(async () => {
      cookie = await cookieOf(browser, served, ada)
    })

    test.for([
      'GET /public',
      'GET http://127.0.0.1/public',
      'GET //elsewhere.example/public',
      'GET /public x',
      'CONNECT /public',
      'GET http://[',
      'G ET',
      '/public',
    ])('a check of the address refuses every user, also with the header "%s"', async (asked) => {
      const answer = await fetch(`${served.baseUrl}${outside}?checked=1`, {
        headers: { cookie, accept: 'text/html', 'x-latchkey-asked': asked },
      })
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toContain('the content behind the guard')
      expect(served.output()).toContain('LATCHKEY_ADDRESS_UNKNOWN')
    })

    test('a guard without a check of the address lets users in, whatever a header says', async () => {
      const answer = await fetch(`${served.baseUrl}${outside}`, {
        headers: { cookie, accept: 'text/html', 'x-latchkey-asked': 'GET http://[' },
      })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('the content behind the guard')
    })

    test('a form of another page runs no action', async () => {
      const shown = await fetch(`${served.baseUrl}${outside}`, { headers: { cookie } })
      const action = /\$ACTION_ID_\w+/.exec(await shown.text())?.[0] ?? ''
      const send = (headers: Record<string, string>, asked: object = {}) => {
        const body = new FormData()
        body.set(action, '')
        const sent = { cookie, accept: 'text/html', ...headers, ...asked }
        return fetch(`${served.baseUrl}${outside}`, { method: 'POST', headers: sent, body })
      }
      const runs = () => served.output().split('the action has run').length - 1
      expect(action).not.toBe('')
      await send({ 'sec-fetch-site': 'cross-site' })
      await send({ 'sec-fetch-site': 'cross-site' }, { 'x-latchkey-asked': 'GET /public' })
      expect(runs()).toBe(0)
      await send({ 'sec-fetch-site': 'same-origin', origin: served.baseUrl })
      expect(runs()).toBeGreaterThan(0)
    })
  })

  test('a guarded page that is forced to be static is refused, and not made for everybody', async () => {
    const answer = await fetch(`${served.baseUrl}/pages/forced/1`, { redirect: 'manual' })
    expect(answer.status).toBe(500)
    expect(served.output()).toContain('cannot be static')
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

  test.for([
    ['redirect', 307],
    ['permanentRedirect', 308],
    ['notFound', 404],
    ['forbidden', 403],
    ['unauthorized', 401],
  ] as const)(
    'a route handler that ends with %s() sends the cookie of the session that it has changed',
    async ([how, status]) => {
      const ask = (path: string, cookie: string): Promise<Response> =>
        fetch(`${served.baseUrl}/pages/${path}`, {
          headers: { cookie, accept: 'text/html' },
          redirect: 'manual',
        })
      const cookie = await cookieOf(browser, served, ada)
      const renewed = await ask(`interrupted/${how}`, cookie)
      const begun = await ask(`interrupted/${how}`, '')

      expect([renewed.status, begun.status]).toEqual([status, status])
      const [ofUser = '', ofVisitor = ''] = [renewed, begun].map(({ headers }) => {
        const [session = '', own] = headers.getSetCookie()
        expect(own).toMatch(/^own=/)
        expect(session).toMatch(/; HttpOnly/i)
        return session.split(';')[0] ?? ''
      })
      expect(renewed.headers.get('cache-control')).toBe('private, no-store')
      expect((await ask('account', ofUser)).status).toBe(200)
      expect((await ask('account', cookie)).status).toBe(307)
      expect(await (await ask('actions', ofVisitor)).text()).toMatch(/seen.*true/)
    },
  )

  test.for([
    ['redirect', 'GET', 307],
    ['permanentRedirect', 'GET', 308],
    ['redirect', 'POST', 303],
    ['permanentRedirect', 'POST', 303],
  ] as const)(
    'the redirect of %s() after a %s has the status %i of Next.js, and its address',
    async ([how, method, status]) => {
      const { baseUrl } = served
      const answer = await fetch(`${baseUrl}/pages/interrupted/${how}`, {
        method,
        headers: {
          origin: baseUrl,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        redirect: 'manual',
      })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        status,
        '/pages/account?a=1;b=2',
      ])
    },
  )

  describe.for(['redirect', 'permanentRedirect'])(
    'a route handler that ends with %s() and has not looked at the session',
    (how) => {
      const ask = (does: string, cookie: string): Promise<Response> =>
        fetch(`${served.baseUrl}/pages/outside/moved/${how}?does=${does}`, {
          headers: { cookie },
          redirect: 'manual',
        })

      test('sends no cookie of a session in a cookie', async () => {
        const begun = await ask('begin', '')
        const [session = ''] = begun.headers.getSetCookie()
        expect(session).toMatch(/^sealed=/)

        const moved = await ask('find', session.split(';')[0] ?? '')
        expect(moved.headers.get('location')).toBe('/new')
        expect(moved.headers.getSetCookie()).toEqual([])
      })

      test('removes the cookie of another kit whose session was adopted', async () => {
        const moved = await ask('adopt', `old=of-${how}`)
        expect(moved.headers.get('location')).toBe('/new')
        expect(moved.headers.get('cache-control')).toBe('private, no-store')
        expect(moved.headers.getSetCookie()).toEqual([
          expect.stringMatching(/^adopted=.*HttpOnly/),
          expect.stringMatching(/^old=;.*Max-Age=0/),
        ])
      })
    },
  )

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

/** The cookies of a user who has logged in. */
async function cookieOf(browser: Browser, { baseUrl }: Served, user: TestUser): Promise<string> {
  const page = await open(browser)
  await logInPage(page, `${baseUrl}/pages/account`, user)
  const cookies = await page.context().cookies(baseUrl)
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

async function open(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage()
}
