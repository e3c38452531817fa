import { setTimeout as sleep } from 'node:timers/promises'
import { requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

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

  test('two parallel requests each store the keys of req.session that they changed', async () => {
    const { store, close } = await openStore(name)
    const [inside, arrive] = signal()
    const [released, release] = signal()
    await using site = await startSite(
      (app) => {
        routes(app)
        app.get('/slow', async (req, res) => {
          const data = req.session as unknown as Record<string, unknown>
          data.mine = 1
          delete data.gone
          arrive()
          await released
          res.send('slow')
        })
      },
      { session: { store } },
    )
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    await browser.open(`${site.url}/set?gone=1&both=old`)

    const slow = browser.send(`${site.url}/slow`)
    await inside
    await browser.open(`${site.url}/set?theirs=2&both=new`)
    release()
    await slow

    expect(JSON.parse((await browser.open(`${site.url}/data`)).text)).toEqual({
      mine: 1,
      theirs: '2',
      both: 'new',
    })
    await close()
  })

  test('changes of req.session are stored before the redirect of the request is sent', async () => {
    const { store, close } = await openStore(name)
    await using site = await startSite(
      (app) => {
        routes(app)
        app.get('/set-and-go', (req, res) => {
          Object.assign(req.session, req.query)
          res.redirect('/data')
        })
        app.get('/save-and-go', (req, res) => {
          Object.assign(req.session, req.query)
          req.session.save()
          res.redirect('/data')
        })
      },
      { session: { store: withSlowWrites(store) } },
    )
    const browser = createBrowser()

    // The browser follows the redirect at once.
    const open = async (path: string) => JSON.parse((await browser.open(site.url + path)).text)
    expect(await open('/set-and-go?theme=anonymous')).toEqual({ theme: 'anonymous' })
    await browser.open(`${site.url}/login`)
    expect(await open('/set-and-go?theme=dark')).toEqual({ theme: 'dark' })
    expect(await open('/save-and-go?theme=light')).toEqual({ theme: 'light' })
    await close()
  })

  test('saving req.session of a session that ended meanwhile fails, and does not bring it back', async () => {
    const { store, close } = await openStore(name)
    const [inside, arrive] = signal()
    const [released, release] = signal()
    await using site = await startSite(
      (app) => {
        routes(app)
        app.get('/slow', async (req, res) => {
          Object.assign(req.session, { late: true })
          arrive()
          await released
          req.session.save((error) => {
            res.send(error ? (error as { code?: string }).code : 'saved')
          })
        })
      },
      { session: { store } },
    )
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    const copy = createBrowser()
    for (const [key, cookie] of browser.cookies) copy.cookies.set(key, { ...cookie })

    const slow = copy.send(`${site.url}/slow`)
    await inside
    await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
    release()

    expect(await (await slow).text()).toBe('LATCHKEY_SESSION_ENDED')
    expect((await copy.open(site.url)).text).toBe('out')
    await close()
  })
})

function signal(): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, resolve]
}

/** A store whose writes take longer than a browser needs to follow a redirect. */
function withSlowWrites<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (key === 'index') return value && withSlowWrites(value)
      if (typeof value !== 'function') return value
      if (key !== 'set' && key !== 'begin') return value.bind(target)
      return async (...args: unknown[]) => {
        await sleep(150)
        return value.apply(target, args)
      }
    },
  })
}
