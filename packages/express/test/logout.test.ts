import { requireUser } from '@latchkey/express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let browser: Browser

beforeAll(async () => {
  site = await startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? 'in' : 'out')
      })
      app.get('/private', requireUser(), (_req, res) => {
        res.send('private')
      })
      app.get('/leave', async (req) => {
        await req.auth.logout({ federated: false, returnTo: '/bye' })
      })
    },
    { routes: { loggedOut: '/logged-out' } },
  )
})
beforeEach(async () => {
  browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect((await browser.open(site.url)).text).toBe('in')
})
afterAll(() => site.close())

const isIn = async (): Promise<boolean> => (await browser.open(site.url)).text === 'in'

test.each<[string, Record<string, string>]>([
  ['the site itself, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
  ['the site itself, by Origin', {}],
])('a POST of %s logs out', async (_name, headers) => {
  await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: Object.keys(headers).length > 0 ? headers : { origin: site.url },
  })

  expect(await isIn()).toBe(false)
})

test.each<[string, Record<string, string>]>([
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a sibling domain', { 'sec-fetch-site': 'same-site' }],
  ['an address bar', { 'sec-fetch-site': 'none' }],
  ['another origin in an old browser', { origin: 'https://evil.example' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['nobody knows where', {}],
  ['a liar about Origin', { 'sec-fetch-site': 'cross-site', origin: 'SITE' }],
])('a POST of %s signs nobody out', async (_name, headers) => {
  const response = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { ...headers, ...(headers.origin === 'SITE' ? { origin: site.url } : {}) },
  })

  expect(response.status).toBe(403)
  expect(await isIn()).toBe(true)
})

const followed = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}

test('a link that a person follows on this very site logs out', async () => {
  await browser.send(`${site.url}/logout`, { headers: followed })

  expect(await isIn()).toBe(false)
})

test.each<[string, Record<string, string>]>([
  ['an image', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }],
  ['a link of another site', { ...followed, 'sec-fetch-site': 'cross-site' }],
  ['a redirect of a script', { ...followed, 'sec-fetch-user': '' }],
  ['a prefetch', { ...followed, 'sec-purpose': 'prefetch' }],
  ['a prerender', { ...followed, 'sec-purpose': 'prefetch;prerender' }],
  ['an old prefetch', { ...followed, purpose: 'prefetch' }],
  ['a browser that does not say', {}],
])('a GET of %s asks and signs nobody out', async (_name, headers) => {
  const response = await browser.send(`${site.url}/logout`, { headers })

  expect(response.status).toBe(200)
  expect(await response.text()).toContain('<form method="post"')
  expect(await isIn()).toBe(true)
})

test('a HEAD request of the logout route logs no user out', async () => {
  await browser.send(`${site.url}/logout`, { method: 'HEAD', headers: followed })

  expect(await isIn()).toBe(true)
})

test('a logout ends at the provider, with the ID Token as a hint and a way back', async () => {
  const response = await browser.send(`${site.url}/logout?returnTo=/bye`, {
    method: 'POST',
    headers: { origin: site.url },
  })
  const location = new URL(response.headers.get('location') as string)

  expect(response.status).toBe(303)
  expect(location.href).toContain(`${site.provider.issuer}/logout?`)
  expect(location.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
  expect(location.searchParams.get('post_logout_redirect_uri')).toBe(`${site.url}/logged-out`)

  const back = await browser.send(
    `${site.url}/logged-out?state=${location.searchParams.get('state')}`,
  )
  expect(back.headers.get('location')).toBe('/bye')
})

test('a return from a logout leads only to addresses that this site chose', async () => {
  for (const state of ['x', 'https://evil.example', '//evil.example', '']) {
    const back = await browser.send(`${site.url}/logged-out?state=${encodeURIComponent(state)}`)
    expect(back.status).toBe(200)
    expect(await back.text()).toContain('You are logged out')
  }
})

test.each(['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example'])(
  'a logout with returnTo %j stays on this site',
  async (returnTo) => {
    const asked = await browser.open(`${site.url}/logout?returnTo=${encodeURIComponent(returnTo)}`)
    expect(asked.text).not.toContain('evil')

    const response = await browser.send(
      `${site.url}/logout?returnTo=${encodeURIComponent(returnTo)}`,
      { method: 'POST', headers: { origin: site.url } },
    )
    const { searchParams } = new URL(response.headers.get('location') as string)
    const back = await browser.send(`${site.url}/logged-out?state=${searchParams.get('state')}`)
    expect(back.status).toBe(200)
  },
)

/** A site without the route for the way back from the provider: visitors come back to its root. */
const startPlain = (): Promise<Site> =>
  startSite((app) => {
    app.get('/', (req, res) => {
      res.send(`home ${req.query.state ?? ''}`)
    })
    app.get('/bye', (_req, res) => {
      res.send('bye')
    })
  })

/** Logs out and goes to the provider and back, as registered there. */
async function logOutAndReturn(plain: Site, visitor: Browser, path: string): Promise<string> {
  await visitor.open(`${plain.url}/login`)
  const left = await visitor.send(plain.url + path, {
    method: 'POST',
    headers: { origin: plain.url },
  })
  const { searchParams } = new URL(left.headers.get('location') as string)
  const back = new URL(searchParams.get('post_logout_redirect_uri') as string)
  expect(back.href).toBe(`${plain.url}/`)
  const state = searchParams.get('state')
  if (state) back.searchParams.set('state', state)
  return (await visitor.open(back.href)).text
}

test('a logout ends at its returnTo, through the root that is registered at the provider', async () => {
  await using plain = await startPlain()

  expect(await logOutAndReturn(plain, createBrowser(), '/logout?returnTo=/bye')).toBe('bye')
  expect(await logOutAndReturn(plain, createBrowser(), '/logout')).toBe('home ')
  expect(
    await logOutAndReturn(plain, createBrowser(), '/logout?returnTo=https://evil.example'),
  ).toBe('home ')
})

test('a request of the root with a state that is not of a logout reaches the application', async () => {
  await using plain = await startPlain()
  const visitor = createBrowser()
  const begun = await visitor.open(`${plain.url}/login`, (url) => url.pathname === '/callback')
  const ofLogin = begun.url.searchParams.get('state') as string

  for (const state of ['', 'x', 'on', ofLogin]) {
    expect((await visitor.open(`${plain.url}/?state=${state}`)).text).toBe(`home ${state}`)
  }
})

test('at a logout, logout_hint replaces an ID Token of more than 2 kB', async () => {
  await using plain = await startPlain()
  const groups = Array.from({ length: 60 }, (_, index) => `group-${index}-${'x'.repeat(30)}`)
  plain.provider.user = { sub: 'olga', groups }
  const visitor = createBrowser()
  await visitor.open(`${plain.url}/login`)

  const left = await visitor.send(`${plain.url}/logout`, {
    method: 'POST',
    headers: { origin: plain.url },
  })

  const location = new URL(left.headers.get('location') as string)
  expect(location.href.length).toBeLessThan(2048)
  expect(location.searchParams.has('id_token_hint')).toBe(false)
  expect(location.searchParams.get('logout_hint')).toBe('olga')
  expect(location.searchParams.get('client_id')).toBe('app')
})

test('while the provider is down a logout still ends the session here', async () => {
  await using dark = await startSite((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
  })
  const visitor = createBrowser()
  await visitor.open(`${dark.url}/login`)
  await dark.provider.stop()

  await visitor.send(`${dark.url}/logout`, { method: 'POST', headers: { origin: dark.url } })

  expect((await visitor.open(dark.url)).text).toBe('out')
})

test('a destroyed session is gone, also for a browser that still has its cookie', async () => {
  const copy = createBrowser()
  for (const [key, cookie] of browser.cookies) copy.cookies.set(key, cookie)

  await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })

  expect((await copy.open(site.url)).text).toBe('out')
})

test('an application can end its own session without a logout at the provider', async () => {
  const response = await browser.send(`${site.url}/leave`)

  expect(response.headers.get('location')).toBe('/bye')
  expect(await isIn()).toBe(false)
})

test('a logout of a visitor who is not logged in leads to the start page', async () => {
  const response = await createBrowser().send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  expect(response.headers.get('location')).toBe('/')
})

test('a logout clears the session cookie with the attributes it was set with', async () => {
  const response = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  expect(response.headers.getSetCookie()).toEqual([
    'latchkey=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
  ])
})

test('the name of a header cannot smuggle a method: GET with a method override is a GET', async () => {
  const response = await browser.send(`${site.url}/logout`, {
    headers: { 'x-http-method-override': 'POST', origin: site.url },
  })

  expect(response.status).toBe(200)
  expect(await isIn()).toBe(true)
})

test.each([
  ['/login', 'GET, HEAD, POST'],
  ['/callback', 'GET, POST'],
  ['/logout', 'GET, HEAD, POST'],
  ['/session', 'GET, HEAD'],
])('other methods on %s are answered 405, with the methods that it has', async (path, allow) => {
  const response = await browser.send(site.url + path, { method: 'DELETE' })

  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allow)
})
