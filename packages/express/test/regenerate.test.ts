import { createMemoryStore } from '@latchkey/core'
import type { Express } from 'express'
import { describe, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { pausing } from './support/pausing.ts'
import { type Site, startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
  app.get('/data', (req, res) => {
    res.json({ ...req.session, cookie: undefined })
  })
  app.get('/set', (req, res) => {
    Object.assign(req.session, req.query)
    res.send('set')
  })
  app.get('/regenerate', (req, res) => {
    Object.assign(req.session, { theme: 'dark' })
    req.session.regenerate((error) => {
      if (error) return void res.send(error.code)
      Object.assign(req.session, { count: 1 })
      res.send('regenerated')
    })
  })
}

const cookieOf = (site: Site, browser: Browser): string | undefined =>
  browser.cookies.get(`${new URL(site.url).host}/ latchkey`)?.value

test('regenerating req.session gives a new id and no data, and keeps the login', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=light`)
  const before = cookieOf(site, browser)

  expect((await browser.open(`${site.url}/regenerate`)).text).toBe('regenerated')

  expect(cookieOf(site, browser)).not.toBe(before)
  expect((await browser.open(site.url)).text).toBe('in as ada')
  expect(JSON.parse((await browser.open(`${site.url}/data`)).text)).toEqual({ count: 1 })
  const headers = { cookie: `latchkey=${before}` }
  expect(await (await createBrowser().send(site.url, { headers })).text()).toBe('out')
})

test('after req.auth.renewSession(), req.session can be reloaded and destroyed', async () => {
  await using site = await startSite((app) => {
    routes(app)
    app.get('/renew-and-reload', async (req, res, next) => {
      Object.assign(req.session, { theme: 'dark' })
      await req.auth.renewSession()
      req.session.reload((error) => (error ? next(error) : res.send('reloaded')))
    })
    app.get('/renew-and-destroy', async (req, res, next) => {
      Object.assign(req.session, { theme: 'light' })
      for (let times = 0; times < 2; times++) await req.auth.renewSession()
      req.session.destroy((error) => (error ? next(error) : res.send('destroyed')))
    })
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  expect((await browser.open(`${site.url}/renew-and-reload`)).text).toBe('reloaded')
  expect((await browser.open(site.url)).text).toBe('in as ada')
  expect((await browser.open(`${site.url}/renew-and-destroy`)).text).toBe('destroyed')

  expect((await browser.open(site.url)).text).toBe('out')
  expect(await site.router.sessions.list('ada')).toEqual([])
})

test('req.sessionStore.destroy() ends the session of another browser, and leaves the own one', async () => {
  let other = ''
  await using site = await startSite((app) => {
    routes(app)
    app.get('/name', (req, res) => {
      other = req.sessionID
      res.send('named')
    })
    app.get('/end-other', (req, res, next) => {
      req.sessionStore.destroy(other, (error) => (error ? next(error) : res.send('ended')))
    })
  })
  const [one, two] = [createBrowser(), createBrowser()]
  for (const browser of [one, two]) await browser.open(`${site.url}/login`)
  await two.open(`${site.url}/name`)

  for (let times = 0; times < 2; times++) {
    expect((await one.open(`${site.url}/end-other`)).text).toBe('ended')
  }

  expect((await two.open(site.url)).text).toBe('out')
  expect((await one.open(site.url)).text).toBe('in as ada')
})

test('the session of an anonymous visitor can be regenerated too', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/set?theme=light`)
  const before = cookieOf(site, browser)

  for (const one of [browser, createBrowser()]) {
    expect((await one.open(`${site.url}/regenerate`)).text).toBe('regenerated')
    expect(JSON.parse((await one.open(`${site.url}/data`)).text)).toEqual({ count: 1 })
  }
  expect(cookieOf(site, browser)).not.toBe(before)
})

describe.each(STORES)('on the store %s', (name) => {
  const user = (site: Site) => ({ issuer: site.provider.issuer, sub: 'ada' })
  const revokeAll = (site: Site): Promise<unknown> => site.router.sessions.revokeAll(user(site))
  const revoke = async (site: Site): Promise<unknown> => {
    const [session] = await site.router.sessions.list(user(site))
    return site.router.sessions.revoke(user(site), session?.id ?? '')
  }

  // Each method of the store is where the other request overtakes the one that regenerates.
  test.each([
    ['revoke()', 'get', revoke],
    ['revoke()', 'set', revoke],
    ['revokeAll()', 'set', revokeAll],
  ] as const)(
    'a session that %s ends before %s() of a regeneration stays ended',
    async (_revoking, method, end) => {
      const { store, close } = await openStore(name)
      const paused = pausing(store)
      await using site = await startSite(routes, { session: { store: paused.store } })
      const browser = createBrowser()
      await browser.open(`${site.url}/login`)

      // The first `get` opens the session of the request.
      paused.before(method, method === 'get' ? 2 : 1, () => end(site))
      const regenerated = await browser.open(`${site.url}/regenerate`)

      expect(regenerated.text).toBe('LATCHKEY_SESSION_ENDED')
      expect((await browser.open(site.url)).text).toBe('out')
      expect(await site.router.sessions.list(user(site))).toEqual([])
      await close()
    },
  )

  test.each([
    ['revoke()', revoke],
    ['revokeAll()', revokeAll],
  ] as const)(
    'a session that is regenerated while %s ends it does not live on under the new id',
    async (_revoking, end) => {
      const { store, close } = await openStore(name)
      const paused = pausing(store)
      await using site = await startSite(routes, { session: { store: paused.store } })
      const browser = createBrowser()
      const other = createBrowser()
      await browser.open(`${site.url}/login`)

      paused.before('destroy', 1, async () => {
        expect((await browser.open(`${site.url}/regenerate`)).text).toBe('regenerated')
        await other.open(`${site.url}/login`)
      })
      await end(site)

      expect((await browser.open(site.url)).text).toBe('out')
      expect((await other.open(site.url)).text).toBe('in as ada')
      await close()
    },
  )

  test('a session that is regenerated while a logout ends it does not live on under the new id', async () => {
    const { store, close } = await openStore(name)
    const paused = pausing(store)
    await using site = await startSite(routes, { session: { store: paused.store } })
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    const beside = createBrowser()
    for (const [key, cookie] of browser.cookies) beside.cookies.set(key, { ...cookie })

    paused.before('destroy', 1, async () => {
      expect((await browser.open(`${site.url}/regenerate`)).text).toBe('regenerated')
    })
    const headers = { origin: site.url }
    const { status } = await beside.send(`${site.url}/logout`, { method: 'POST', headers })

    expect(status).toBe(303)
    expect((await browser.open(site.url)).text).toBe('out')
    expect(await site.router.sessions.list(user(site))).toEqual([])
    await close()
  })
})

test('a store that still has a session after it was told to destroy it fails revokeAll()', async () => {
  const store = createMemoryStore()
  store.destroy = () => new Promise((resolve) => void setImmediate(resolve))
  if (store.index) Object.assign(store.index, { remove: () => {} })
  await using site = await startSite(routes, { session: { store } })
  const user = { issuer: site.provider.issuer, sub: 'ada' }
  await createBrowser().open(`${site.url}/login`)

  await expect(site.router.sessions.revokeAll(user)).rejects.toMatchObject({
    code: 'LATCHKEY_SESSION_UNAVAILABLE',
    message: expect.stringContaining('destroy'),
  })
})
