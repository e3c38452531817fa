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

function cookieHeaderOf(browser: Browser): string {
  return [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ')
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

test('the back button to a finished login leads to the page, logged in', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'home')
  await browser.open(callback)
  const redeemed = site.provider.count('/token')

  const again = await browser.open(callback)

  expect(again.text).toBe('page home')
  expect(site.provider.count('/token')).toBe(redeemed)
})

test('a HEAD request of the callback, as link checkers send it, uses up no login', async () => {
  const browser = createBrowser()
  const callback = await beginIn(browser, 'checked')
  const redeemed = site.provider.count('/token')

  const head = await browser.send(callback, { method: 'HEAD' })

  expect(head.status).toBe(405)
  expect(head.headers.get('allow')).toBe('GET, POST')
  expect(site.provider.count('/token')).toBe(redeemed)
  expect((await browser.open(callback)).text).toBe('page checked')
})

test('a callback sent twice at once ends logged in and redeems its code once', async () => {
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

test('a login that took longer than ten minutes is restarted automatically and ends on its page', async () => {
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
  let url = `${site.url}/login?returnTo=/page/blocked`
  const begun = site.provider.count('/auth')
  let visit = await blocked.open(url, () => true)
  for (let hop = 0; hop < 40 && visit.response.headers.has('location'); hop++) {
    blocked.cookies.clear()
    url = new URL(visit.response.headers.get('location') as string, url).href
    visit = await blocked.open(url, () => true)
  }

  expect(visit.response.status).toBe(400)
  expect(visit.text).toContain('LATCHKEY_TRANSACTION_MISSING')
  expect(visit.text).toContain('Allow cookies for this site')
  expect(site.provider.count('/auth') - begun).toBe(2)
})

test('a login that is begun again still asks for the same recent and strong login', async () => {
  const browser = createBrowser()
  const begun = await browser.open(
    `${site.url}/login?max_age=300&acr_values=gold&returnTo=/page/again`,
    (url) => url.pathname === '/callback',
  )
  browser.cookies.clear()

  const again = await browser.send(begun.url.href)

  const { searchParams } = new URL(again.headers.get('location') as string)
  expect(searchParams.get('max_age')).toBe('300')
  expect(searchParams.get('acr_values')).toBe('gold')
})

test('a browser has at most five logins in progress, and the oldest is dropped', async () => {
  const browser = createBrowser()
  const tabs: string[] = []
  for (const page of ['1', '2', '3', '4', '5', '6', '7']) tabs.push(await beginIn(browser, page))

  expect(transactionCookies(browser)).toHaveLength(5)
  expect((await browser.open(tabs[2] as string)).text).toBe('page 3')
  expect((await browser.open(tabs[6] as string)).text).toBe('page 7')
})

test('forty tabs in batches of six leave less than 2 kB of cookies, and every tab can arrive', async () => {
  const browser = createBrowser()
  const names = Array.from({ length: 40 }, (_, index) => `tab-${index}-${'a'.repeat(300)}`)
  const tabs: string[] = []
  for (let batch = 0; batch < names.length; batch += 6) {
    const opened = names.slice(batch, batch + 6).map((name) => beginIn(browser, name))
    tabs.push(...(await Promise.all(opened)))
  }

  expect(cookieHeaderOf(browser).length).toBeLessThan(2048)
  const begunAgain = site.provider.count('/auth')
  for (const index of [39, 38, 37, 36, 35]) {
    expect((await browser.open(tabs[index] as string)).text).toBe(`page ${names[index]}`)
  }
  expect(site.provider.count('/auth')).toBe(begunAgain)
  expect((await browser.open(tabs[0] as string)).text).toBe(`page ${names[0]}`)
})

test('a login in an old tab is restarted if its cookie was dropped, also for a visitor who is logged out', async () => {
  const browser = createBrowser()
  const tabs: string[] = []
  for (const page of ['1', '2', '3', '4', '5', '6']) tabs.push(await beginIn(browser, page))

  expect((await browser.open(tabs[0] as string)).text).toBe('page 1')
})

test('a login cookie has at most 230 bytes with its name, whatever the login asks for', async () => {
  const browser = createBrowser()
  const query = new URLSearchParams({
    returnTo: `/page/${'a'.repeat(1000)}`,
    acr_values: 'b'.repeat(250),
    max_age: '300',
  })
  await browser.open(`${site.url}/login?${query}`, (url) => url.pathname === '/callback')

  const sizes = transactionCookies(browser).map(
    (key) => `${key.split(' ')[1]}=${browser.cookies.get(key)?.value}`.length,
  )
  expect(sizes).toHaveLength(1)
  expect(sizes[0]).toBeLessThanOrEqual(230)
})

test('a state has at most 2,000 characters: what is too long for it loses its query', async () => {
  const browser = createBrowser()
  const long = `/page/kept?${'q'.repeat(900)}`
  const query = new URLSearchParams({ returnTo: long, acr_values: 'b'.repeat(250) })
  const begun = await browser.open(`${site.url}/login?${query}&login_hint=x`, (url) => {
    return url.pathname === '/auth'
  })
  const fits = await browser.open(`${site.url}/login?returnTo=${encodeURIComponent(long)}`)

  expect(begun.url.searchParams.get('state')?.length).toBeLessThanOrEqual(2000)
  expect(fits.url.href).toBe(site.url + long)
})

test('cookies that only look like logins under way are removed, and a login gets through', async () => {
  const browser = createBrowser()
  const { host } = new URL(site.url)
  const future = (Date.now() + 86_400_000).toString(36).padStart(9, '0')
  for (const id of [`${future}${'x'.repeat(16)}`, 'nonsense', `000000000${'y'.repeat(16)}`]) {
    const cookie = { value: 'planted', path: '/', host, attributes: '' }
    browser.cookies.set(`${host}/ latchkey.login.${id}`, cookie)
  }

  const callback = await beginIn(browser, 'through')

  expect(transactionCookies(browser)).toHaveLength(1)
  expect((await browser.open(callback)).text).toBe('page through')
})

test('login cookies are HttpOnly, go to every path and end after ten minutes', async () => {
  const browser = createBrowser()
  await beginIn(browser, 'x')

  expect(transactionCookies(browser)).toHaveLength(1)
  for (const key of transactionCookies(browser)) {
    const cookie = browser.cookies.get(key)
    expect(cookie?.path).toBe('/')
    expect(cookie?.attributes).toMatch(/Max-Age=600; .*HttpOnly; SameSite=Lax/)
  }
})

test('a state that was not made here never begins a login: every attempt shows a page that says so', async () => {
  for (const state of ['', 'x', `${'a'.repeat(25)}.${'b'.repeat(80)}`]) {
    const visit = await createBrowser().open(`${site.url}/callback?code=x&state=${state}`)

    expect(visit.trail).toHaveLength(1)
    expect(visit.text).toContain('LATCHKEY_STATE_MISMATCH')
  }
})

test('after a login its transaction cookie is removed', async () => {
  const browser = createBrowser()
  await browser.open(await beginIn(browser, 'clean'))

  const names = [...browser.cookies.keys()].map((key) => key.split(' ')[1])

  expect(names).toEqual(['latchkey'])
})

test('a transaction cookie is not accepted as a session, nor a session as a transaction', async () => {
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
