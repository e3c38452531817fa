import { requireUser } from '@latchkey/express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
    app.get('/page/:name', requireUser({ respond: 'redirect' }), (req, res) => {
      res.send(`page ${req.params.name}`)
    })
  })
})
afterAll(() => site.close())

/** Presses "log in" in a tab and stops in front of the callback. */
async function beginIn(browser: Browser, page: string): Promise<string> {
  const visit = await browser.open(
    `${site.url}/page/${page}`,
    (url) => url.pathname === '/callback',
  )
  return visit.url.href
}

function transactionCookies(browser: Browser): string[] {
  return [...browser.cookies.keys()].filter((key) => key.includes('latchkey.login.'))
}

test.each([
  ['the first tab finishes first', [0, 1]],
  ['the second tab finishes first', [1, 0]],
])('two tabs log in and both arrive where they were going: %s', async (_name, order) => {
  const browser = createBrowser()
  const tabs = [await beginIn(browser, 'one'), await beginIn(browser, 'two')]

  const texts: string[] = []
  for (const tab of order) texts[tab] = (await browser.open(tabs[tab] as string)).text

  expect(texts).toEqual(['page one', 'page two'])
})

test('three tabs opened at the same moment all arrive where they were going', async () => {
  const browser = createBrowser()
  const tabs = await Promise.all(['a', 'b', 'c'].map((page) => beginIn(browser, page)))

  const texts = []
  for (const tab of tabs) texts.push((await browser.open(tab)).text)

  expect(texts).toEqual(['page a', 'page b', 'page c'])
})

test('the back button to a finished login leads to the page, signed in', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'home')
  await browser.open(callback)
  const redeemed = site.provider.count('/token')

  const again = await browser.open(callback)

  expect(again.text).toBe('page home')
  expect(site.provider.count('/token')).toBe(redeemed)
})

test('a callback sent twice at once ends signed in and redeems its code once', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'twice')
  const redeemed = site.provider.requests.length

  const visits = await Promise.all([browser.open(callback), browser.open(callback)])

  expect(visits.map((visit) => visit.text)).toEqual(['page twice', 'page twice'])
  const codes = site.provider.requests
    .slice(redeemed)
    .filter(({ path }) => path === '/token')
    .map(({ body }) => body.get('code'))
  expect(new Set(codes).size).toBe(codes.length)
})

test('a login that took longer than ten minutes begins again by itself and ends on its page', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const browser = createBrowser()
    const callback = await beginIn(browser, 'late')
    vi.setSystemTime(Date.now() + 11 * 60_000)

    const visit = await browser.open(callback)

    expect(visit.text).toBe('page late')
  } finally {
    vi.useRealTimers()
  }
})

test('with cookies blocked there is one more try and then a page that says so', async () => {
  const blocked = createBrowser()
  let url = (await blocked.open(`${site.url}/login`, (at) => at.pathname === '/callback')).url.href
  blocked.cookies.clear()
  const first = await blocked.open(url, (at) => at.pathname === '/callback')
  for (const key of transactionCookies(blocked)) blocked.cookies.delete(key)
  url = first.url.href

  const second = await blocked.open(url)

  expect(second.response.status).toBe(400)
  expect(second.text).toContain('LATCHKEY_TRANSACTION_MISSING')
  expect(second.text).toContain('cookies are not blocked')
})

test('a browser has at most five logins under way, and it is the oldest that is dropped', async () => {
  const browser = createBrowser()
  const tabs: string[] = []
  for (const page of ['1', '2', '3', '4', '5', '6', '7']) tabs.push(await beginIn(browser, page))

  expect(transactionCookies(browser)).toHaveLength(5)
  expect((await browser.open(tabs[2] as string)).text).toBe('page 3')
  expect((await browser.open(tabs[6] as string)).text).toBe('page 7')
})

test('the cookies of logins with long addresses fit into what proxies let through', async () => {
  const browser = createBrowser()
  const long = 'a'.repeat(950)
  const pages = ['1', '2', ...['3', '4', '5', '6', '7'].map((name) => name + long), '8', '9']
  let callback = ''
  for (const page of pages) {
    callback = await beginIn(browser, page)
    const sent = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}; `)
    expect(sent.join('').length).toBeLessThan(8000)
  }

  expect(transactionCookies(browser)).toHaveLength(5)
  expect((await browser.open(callback)).text).toBe('page 9')
})

test('transaction cookies go to the callback alone, are HttpOnly and end after ten minutes', async () => {
  const browser = createBrowser()
  await beginIn(browser, 'x')

  for (const key of transactionCookies(browser)) {
    const cookie = browser.cookies.get(key)
    expect(cookie?.path).toBe('/callback')
    expect(cookie?.attributes).toMatch(/Max-Age=600; .*HttpOnly; SameSite=Lax/)
  }
})

test('after a login no cookie of it is left', async () => {
  const browser = createBrowser()
  await browser.open(await beginIn(browser, 'clean'))

  const names = [...browser.cookies.keys()].map((key) => key.split(' ')[1])

  expect(names).toEqual(['latchkey'])
})

test('a transaction cookie is worth nothing as a session, nor a session as a transaction', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'swap')
  const [key] = transactionCookies(browser)
  const sealed = browser.cookies.get(key as string)?.value as string

  const asSession = await createBrowser().send(`${site.url}/`, {
    headers: { cookie: `latchkey=${sealed}` },
  })
  expect(await asSession.text()).toBe('out')

  await browser.open(callback)
  const session = browser.cookies.get(`${new URL(site.url).host}/ latchkey`)?.value as string
  const state = new URL(callback).searchParams.get('state') as string
  const asTransaction = await createBrowser().send(callback, {
    headers: { cookie: `latchkey.login.${state.split('.')[0]}=${session}` },
  })
  expect(asTransaction.headers.get('location')).toContain(`${site.provider.issuer}/auth`)
})

test('a login begun in one browser cannot be finished in another', async () => {
  const attacker = createBrowser()
  const callback = await beginIn(attacker, 'gift')
  const victim = createBrowser()

  const response = await victim.send(callback)

  expect(response.headers.get('location')).toContain(`${site.provider.issuer}/auth`)
  expect((await victim.open(site.url)).text).toBe('out')
})

test('a cookie sealed with another secret, or changed by one bit, is no transaction', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'bit')
  const [key] = transactionCookies(browser)
  const cookie = browser.cookies.get(key as string)
  if (!cookie) throw new Error('there is no transaction cookie')
  const flipped = cookie.value[40] === 'A' ? 'B' : 'A'
  cookie.value = cookie.value.slice(0, 40) + flipped + cookie.value.slice(41)

  const response = await browser.send(callback)

  expect(response.headers.get('location')).toContain(`${site.provider.issuer}/auth`)
})
