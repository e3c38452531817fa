import { requireUser } from '@latchkey/express'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let state: string

beforeAll(async () => {
  site = await startSite((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
    app.get('/private', requireUser(), (_req, res) => {
      res.send('private')
    })
    app.get('/data', (req, res) => {
      res.json(Object.keys(req.session))
    })
  })
  const begun = await createBrowser().open(
    `${site.url}/login`,
    (url) => url.pathname === '/callback',
  )
  state = new URL(begun.url).searchParams.get('state') as string
})
afterAll(() => site.close())

/** Neither a server error nor a session, whatever was sent. */
async function expectHarmless(browser: Browser, response: Response): Promise<void> {
  expect(response.status).toBeLessThan(500)
  expect(response.headers.getSetCookie().join()).not.toContain('latchkey=s%3A')
  const text = await (await browser.send(`${site.url}/`)).text()
  expect(text).toBe('out')
}

const headerText = fc.string({ unit: fc.constantFrom(...printable()), maxLength: 200 })
const cookieName = fc.constantFrom(
  'latchkey',
  'latchkey.logins',
  'latchkey.retry',
  'latchkey.login.',
  'latchkey.login.AAAAAAAAAAAAAAAAAAAAAA',
  'latchkey.login.0mabcdefgAAAAAAAAAAAAAAAA',
  '__Host-latchkey',
  'latchkey.0',
  '__proto__',
)
const cookieHeader = fc.oneof(
  headerText,
  fc
    .array(
      fc.tuple(
        cookieName,
        fc.oneof(headerText, fc.constantFrom('s:', 's:.', '%', '%E0%A4%A', '99999999')),
      ),
    )
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('; ')),
)
const path = fc.constantFrom('/login', '/callback', '/logout', '/session', '/private', '/data', '/')
const parameter = fc.tuple(
  fc.constantFrom(
    'state',
    'code',
    'iss',
    'error',
    'returnTo',
    'prompt',
    'max_age',
    'login_hint',
    'x',
  ),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.constantFrom('', '//evil.example', 'none'),
  ),
)

test('no cookie header causes a server error or begins a session', async () => {
  await fc.assert(
    fc.asyncProperty(path, cookieHeader, async (to, cookie) => {
      const response = await createBrowser().send(site.url + to, { headers: { cookie } })
      await expectHarmless(createBrowser(), response)
      expect(await (await createBrowser().send(site.url, { headers: { cookie } })).text()).toBe(
        'out',
      )
    }),
    { numRuns: 200 },
  )
})

test('no query causes a server error, begins a session or leads to another site', async () => {
  await fc.assert(
    fc.asyncProperty(path, fc.array(parameter, { maxLength: 6 }), async (to, pairs) => {
      const browser = createBrowser()
      const query = new URLSearchParams(pairs)
      const response = await browser.send(`${site.url}${to}?${query}`)
      await expectHarmless(browser, response)
      const location = response.headers.get('location')
      if (location) {
        const { origin } = new URL(location, site.url)
        expect([site.url, site.provider.issuer]).toContain(origin)
      }
    }),
    { numRuns: 300 },
  )
})

test('no callback with a genuine state in a foreign browser begins a session', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 60 }), cookieHeader, async (code, cookie) => {
      const browser = createBrowser()
      const query = new URLSearchParams({ state, code, iss: site.provider.issuer })
      const response = await browser.send(`${site.url}/callback?${query}`, { headers: { cookie } })
      await expectHarmless(browser, response)
    }),
    { numRuns: 100 },
  )
})

test('no form body causes a server error or begins a session', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('/callback', '/logout', '/backchannel-logout'),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.array(parameter).map((pairs) => new URLSearchParams(pairs).toString()),
        fc.string({ maxLength: 100 }).map((token) => `logout_token=${encodeURIComponent(token)}`),
        fc.json().map((json) => `logout_token=${Buffer.from(json).toString('base64url')}.e30.AA`),
      ),
      async (to, body) => {
        const browser = createBrowser()
        const response = await browser.send(site.url + to, { method: 'POST', body })
        await expectHarmless(browser, response)
      },
    ),
    { numRuns: 200 },
  )
})

test('no header of a guarded request lets anybody in', async () => {
  const name = fc.constantFrom(
    'accept',
    'sec-fetch-mode',
    'sec-fetch-dest',
    'sec-fetch-site',
    'x-requested-with',
    'authorization',
    'referer',
    'origin',
    'x-forwarded-host',
    'x-original-url',
  )
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, headerText), async (headers) => {
      const response = await createBrowser().send(`${site.url}/private`, { headers })
      expect([302, 401]).toContain(response.status)
      expect(await response.text()).not.toBe('private')
    }),
    { numRuns: 200 },
  )
})

function printable(): string[] {
  return Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).concat(' ')
}
