import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@latchkey/core'
import { type ExpressStore, requireUser } from '@latchkey/express'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { afterEach, expect, test, vi } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

interface Data {
  cart?: string[]
  theme?: string
  count?: number
}

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
  app.get('/private', requireUser(), (_req, res) => {
    res.send('private')
  })
  app.get('/public', (_req, res) => {
    res.send('public')
  })
  app.get('/data', (req, res) => {
    res.json({ ...req.session, cookie: undefined })
  })
  app.get('/set', (req, res) => {
    Object.assign(req.session, req.query)
    res.send('set')
  })
  app.get('/destroy', (req, res, next) => {
    req.session.destroy((error) => (error ? next(error) : res.send('destroyed')))
  })
  app.get('/reload', (req, res, next) => {
    req.session.reload((error) => (error ? next(error) : res.json(req.session)))
  })
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).send(error.code ?? String(error))
  }) as import('express').ErrorRequestHandler)
}

afterEach(() => {
  vi.useRealTimers()
})

const key = (site: Site): string => `${new URL(site.url).host}/ latchkey`
const cookieOf = (site: Site, browser: Browser): string =>
  browser.cookies.get(key(site))?.value as string
const json = async (site: Site, browser: Browser, path: string): Promise<Data> =>
  JSON.parse((await browser.open(site.url + path)).text)

test('a user is identified by issuer and sub, and never on an address of mail', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=dark`)

  for (const email of ['ada@example.com', 'ADA@example.com', 'ada@example.com@evil.example']) {
    site.provider.user = { sub: 'mallory', email, email_verified: true }
    await browser.open(`${site.url}/login`)

    expect((await browser.open(site.url)).text).toBe('in as mallory')
    expect(await json(site, browser, '/data')).toEqual({})
  }
  expect(await site.router.sessions.list('ada@example.com')).toEqual([])
})

test('the absolute timeout is stored in the session, so a store that never expires records does not extend it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using site = await startSite(routes, {
    session: { absoluteSeconds: 1800, store: plainStore().store },
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const cookie = cookieOf(site, browser)
  vi.setSystemTime(Date.now() + 1801_000)

  const response = await createBrowser().send(site.url, {
    headers: { cookie: `latchkey=${cookie}` },
  })

  expect(await response.text()).toBe('out')
})

test('requests that change nothing write nothing except one touch a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { store, calls } = plainStore()
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/private`)
  calls.length = 0

  for (let i = 0; i < 10; i++) {
    await browser.open(`${site.url}/private`)
    await browser.open(`${site.url}/data`)
  }
  expect(calls.filter((call) => call !== 'get')).toEqual([])
  expect(calls).toHaveLength(20)

  vi.setSystemTime(Date.now() + 61_000)
  await browser.open(`${site.url}/private`)
  expect(calls.filter((call) => call !== 'get')).toEqual(['touch'])
})

test('destroying req.session logs out, and the session is in no list any more', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  expect((await browser.open(`${site.url}/destroy`)).text).toBe('destroyed')

  expect((await browser.open(site.url)).text).toBe('out')
  expect(await site.router.sessions.list('ada')).toEqual([])
})

test('a streamed response sets the cookie of the session that its handler has begun', async () => {
  await using site = await startSite((app) => {
    app.get('/stream', (req, res) => {
      Object.assign(req.session, { theme: 'dark' })
      res.write('one ')
      res.end('two')
    })
    routes(app)
  })
  const browser = createBrowser()

  expect((await browser.open(`${site.url}/stream`)).text).toBe('one two')

  expect(await json(site, browser, '/data')).toEqual({ theme: 'dark' })
})

test('req.session is there for an application around the one that the router is mounted in', async () => {
  await using site = await startSite()
  const [inner, outer] = [express(), express()]
  inner.use(site.router).use((req, _res, next) => {
    Object.assign(req.session, { inner: 1 })
    next()
  })
  outer.use(inner).get('/', (req, res) => void res.json({ ...req.session, cookie: undefined }))
  const server = outer.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(await response.json()).toEqual({ inner: 1 })
  server.close()
  server.closeAllConnections()
})

test('reloading req.session shows what is stored', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=dark`)

  expect(await json(site, browser, '/reload')).toMatchObject({ theme: 'dark' })
})

test.each([
  ['a store with every ability', createMemoryStore],
  ['a plain store', () => plainStore().store],
])(
  'with %s a late write of the application does not bring back a session that was ended',
  async (_name, makeStore) => {
    let release: () => void = () => {}
    const waiting = new Promise<void>((resolve) => {
      release = resolve
    })
    let arrived: () => void = () => {}
    const inside = new Promise<void>((resolve) => {
      arrived = resolve
    })
    await using site = await startSite(
      (app) => {
        app.get('/slow', async (req, res) => {
          ;(req.session as unknown as Data).count = 1
          arrived()
          await waiting
          res.send('slow')
        })
        routes(app)
      },
      { session: { store: makeStore() } },
    )
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    const copy = createBrowser()
    for (const [name, cookie] of browser.cookies) copy.cookies.set(name, { ...cookie })

    const slow = copy.open(`${site.url}/slow`)
    await inside
    await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
    release()
    await slow

    expect((await copy.open(site.url)).text).toBe('out')
    expect(await json(site, copy, '/data')).toEqual({})
  },
)

test('data that a handler wrote before it logged the user out is not stored afterwards', async () => {
  const { store, calls } = plainStore()
  await using site = await startSite(
    (app) => {
      app.get('/leave', async (req, res) => {
        ;(req.session as unknown as Data).cart = ['book']
        await req.auth.logout({ federated: false })
        res.end()
      })
      routes(app)
    },
    { session: { store } },
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const copy = createBrowser()
  for (const [name, cookie] of browser.cookies) copy.cookies.set(name, { ...cookie })

  await browser.send(`${site.url}/leave`)

  await expect.poll(() => calls).toContain('destroy')
  expect((await copy.open(site.url)).text).toBe('out')
  expect(await json(site, copy, '/data')).toEqual({})
})

test('data that cannot be stored as JSON is answered by the error handler', async () => {
  await using site = await startSite((app) => {
    app.get('/circle', (req, res) => {
      Object.assign(req.session, { circle: req.session })
      res.send('kept')
    })
    app.use(((error, _req, res, _next) => {
      res.status(500).send(String(error.message).slice(0, 28))
    }) satisfies ErrorRequestHandler)
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const { response, text } = await browser.open(`${site.url}/circle`)
  expect({ status: response.status, text }).toEqual({
    status: 500,
    text: 'Converting circular structur',
  })
})

test('an anonymous visitor can have session data of the application', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/public`)
  expect(browser.cookies.size).toBe(0)
  await browser.open(`${site.url}/data`)
  expect(browser.cookies.size).toBe(0)

  await browser.open(`${site.url}/set?theme=dark`)

  expect(await json(site, browser, '/data')).toEqual({ theme: 'dark' })
  expect(browser.cookies.get(key(site))?.attributes).toMatch(/HttpOnly/)
})

/** A store with no abilities beyond those of express-session's. */
function plainStore(): { store: ExpressStore; calls: string[] } {
  const records = new Map<string, string>()
  const calls: string[] = []
  const store: ExpressStore = {
    get(id, done) {
      calls.push('get')
      const json = records.get(id)
      done(undefined, json === undefined ? null : JSON.parse(json))
    },
    set(id, record, done) {
      calls.push('set')
      records.set(id, JSON.stringify(record))
      done?.()
    },
    destroy(id, done) {
      calls.push('destroy')
      records.delete(id)
      done?.()
    },
    touch(_id, _record, done) {
      calls.push('touch')
      done?.()
    },
  }
  return { store, calls }
}
