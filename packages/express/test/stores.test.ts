import { requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { afterAll, describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'
import { closeStores, openStore, STORES } from './support/stores.ts'

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
  app.get('/set', (req, res) => {
    Object.assign(req.session, req.query)
    res.send('set')
  })
  app.get('/data', (req, res) => {
    res.json({ ...req.session, cookie: undefined })
  })
  app.get('/recent', requireUser({ maxAge: 60 }), (_req, res) => {
    res.send('recent')
  })
}

afterAll(closeStores)

describe.each(STORES)('on the store %s', (name) => {
  test('a second login of the same user ends logged in, with the data of the first', async () => {
    const { store, close } = await openStore(name)
    await using site = await startSite(routes, { session: { store } })
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    await browser.open(`${site.url}/set?theme=dark`)

    await browser.open(`${site.url}/login`)

    expect((await browser.open(site.url)).text).toBe('in as ada')
    expect(JSON.parse((await browser.open(`${site.url}/data`)).text)).toEqual({ theme: 'dark' })
    await close()
  })

  test('two tabs that log in one after the other both end logged in', async () => {
    const { store, close } = await openStore(name)
    await using site = await startSite(routes, { session: { store } })
    const browser = createBrowser()
    const atCallback = (url: URL): boolean => url.pathname === '/callback'
    const one = await browser.open(`${site.url}/login`, atCallback)
    const two = await browser.open(`${site.url}/login`, atCallback)

    for (const tab of [one, two]) {
      await browser.open(tab.url.href)
      expect((await browser.open(site.url)).text).toBe('in as ada')
    }
    await close()
  })

  test('a step-up takes one more login and ends on the page that asked for it', async () => {
    const { store, close } = await openStore(name)
    await using site = await startSite(routes, { session: { store } })
    const browser = createBrowser()
    site.provider.user = { sub: 'ada', auth_time: Math.floor(Date.now() / 1000) - 3600 }
    await browser.open(`${site.url}/login`)
    site.provider.user = { sub: 'ada' }

    expect((await browser.open(`${site.url}/recent`)).text).toBe('recent')
    expect(site.provider.count('/auth')).toBe(2)
    expect((await browser.open(site.url)).text).toBe('in as ada')
    await close()
  })
})
