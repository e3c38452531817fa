import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@latchkey/core'
import { type ExpressStore, requireUser } from '@latchkey/express'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { expect, test, vi } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'
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
  app.get('/id', (req, res) => {
    res.send(req.sessionID)
  })
  app.get('/auth', (req, res) => {
    res.json(req.auth)
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

const key = (site: Site): string => `${new URL(site.url).host}/ latchkey`
const cookieOf = (site: Site, browser: Browser): string =>
  browser.cookies.get(key(site))?.value as string
const json = async (site: Site, browser: Browser, path: string): Promise<Data> =>
  JSON.parse((await browser.open(site.url + path)).text)

test('a session id planted before the login is worth nothing after it', async () => {
  await using site = await startSite(routes)
  const attacker = createBrowser()
  await attacker.open(`${site.url}/set?theme=dark`)
  const planted = attacker.cookies.get(key(site))
  const victim = createBrowser()
  if (planted) victim.cookies.set(key(site), { ...planted })

  await victim.open(`${site.url}/login`)

  expect(planted).toBeDefined()
  expect(cookieOf(site, victim)).not.toBe(planted?.value)
  expect((await attacker.open(site.url)).text).toBe('out')
  expect(await json(site, attacker, '/data')).toEqual({})
})

test('an id that the kit did not sign is no session', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const genuine = decodeURIComponent(cookieOf(site, browser))
  const [id, signature] = genuine.split('.')

  for (const forged of [
    id,
    `${id}.`,
    `${id}.AAAA`,
    `${id}.${signature?.slice(1)}`,
    `${id}.${signature}${signature}`,
    `${id?.slice(1)}.${signature}`,
    `.${signature}`,
    `S:${id}.${signature}`,
    `s:${id?.slice(1)}.${signature}`,
    `j:{"a":1}`,
  ]) {
    const response = await createBrowser().send(site.url, {
      headers: { cookie: `latchkey=${encodeURIComponent(String(forged))}` },
    })
    expect(await response.text()).toBe('out')
  }
})

test('a new user of the same browser gets nothing of the one before', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=dark`)

  site.provider.user = { sub: 'bob' }
  await browser.open(`${site.url}/login`)

  expect((await browser.open(site.url)).text).toBe('in as bob')
  expect(await json(site, browser, '/data')).toEqual({})
})

test('who somebody is depends on issuer and sub, and never on an address of mail', async () => {
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

test('the same user who logs in again keeps what the application stored, under a new id', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=dark`)
  const before = cookieOf(site, browser)

  await browser.open(`${site.url}/login`)

  expect(cookieOf(site, browser)).not.toBe(before)
  expect(await json(site, browser, '/data')).toEqual({ theme: 'dark' })
})

test("of an anonymous visitor's session, a login keeps what the options name and nothing else", async () => {
  await using site = await startSite(routes, { session: { keepAnonymousData: ['theme'] } })
  const browser = createBrowser()
  await browser.open(`${site.url}/set?theme=dark&role=admin`)

  await browser.open(`${site.url}/login`)

  expect(await json(site, browser, '/data')).toEqual({ theme: 'dark' })
})

test('an application cannot make somebody logged in by writing to req.session', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()

  await browser.open(`${site.url}/set?latchkey[sub]=root&latchkey=x`)

  expect((await browser.open(site.url)).text).toBe('out')
})

test('tokens are neither in req.session nor in the JSON of req.auth', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const texts = [
    (await browser.open(`${site.url}/data`)).text,
    (await browser.open(`${site.url}/auth`)).text,
  ].join()

  expect(texts).toContain('ada')
  expect(texts).not.toMatch(/access-|refresh-|eyJ/)
})

test.each(['/private', '/', '/data', '/auth', '/login', '/callback', '/logout', '/session'])(
  'no cache keeps what %s answers',
  async (path) => {
    await using site = await startSite(routes)
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)

    const response = await browser.send(site.url + path)

    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('vary')).toContain('Cookie')
  },
)

test('the response that sets the session cookie is kept by no cache', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  const visit = await browser.open(`${site.url}/login`, (url) => url.pathname === '/callback')

  const response = await browser.send(visit.url.href)

  expect(response.headers.getSetCookie().join()).toMatch(/latchkey=[\w-]{43}\.[\w-]{43};/)
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  expect(response.headers.get('vary')).toBe('Cookie')
})

test('a page that does not look at the session may be cached', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const response = await browser.send(`${site.url}/public`)

  expect(response.headers.get('cache-control')).toBeNull()
  expect(response.headers.getSetCookie()).toEqual([])
})

test('a session ends after its absolute time, however busy it was', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await startSite(routes, {
      session: { idleSeconds: 600, absoluteSeconds: 1800 },
    })
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    for (let minute = 0; minute < 29; minute += 5) {
      expect((await browser.open(site.url)).text).toBe('in as ada')
      vi.setSystemTime(Date.now() + 5 * 60_000)
    }

    vi.setSystemTime(Date.now() + 60_000)

    expect((await browser.open(site.url)).text).toBe('out')
  } finally {
    vi.useRealTimers()
  }
})

test('the absolute end is in the session itself: a store that forgets nothing changes nothing', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
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
  } finally {
    vi.useRealTimers()
  }
})

test('a session that nobody uses ends', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await startSite(routes, { session: { idleSeconds: 600 } })
    const browser = createBrowser()
    await browser.open(`${site.url}/login`)
    vi.setSystemTime(Date.now() + 601_000)

    expect((await browser.open(site.url)).text).toBe('out')
  } finally {
    vi.useRealTimers()
  }
})

test('requests that change nothing write nothing, but for one touch a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
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
  } finally {
    vi.useRealTimers()
  }
})

test('secrets can be changed without signing anybody out', async () => {
  const store = createMemoryStore()
  const next = 'next-secret-0123456789-next-secret-0123'
  await using before = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${before.url}/login`)
  const cookie = `latchkey=${cookieOf(before, browser)}`
  const { issuer } = before.provider

  await using rotated = await startSite(routes, {
    issuer,
    session: { store, secret: [next, SESSION_SECRET] },
  })
  await using finished = await startSite(routes, { issuer, session: { store, secret: next } })

  const answer = async (site: Site): Promise<string> =>
    (await createBrowser().send(site.url, { headers: { cookie } })).text()
  expect(await answer(rotated)).toBe('in as ada')
  expect(await answer(finished)).toBe('out')
})

test('a store that fails is a 503, and nobody is told to log in or let through', async () => {
  const { store, fail } = plainStore()
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  fail.now = true

  const page = await browser.open(`${site.url}/private`)
  expect(page.response.status).toBe(503)
  expect(page.text).toContain('LATCHKEY_SESSION_UNAVAILABLE')
  expect(page.text).toContain('You have not been logged out')
  expect((await browser.open(site.url)).text).toBe('LATCHKEY_SESSION_UNAVAILABLE')
  expect((await browser.open(`${site.url}/data`)).text).toBe('LATCHKEY_SESSION_UNAVAILABLE')
  expect((await browser.open(`${site.url}/public`)).text).toBe('public')
  expect((await createBrowser().open(`${site.url}/private`)).response.status).toBe(503)

  fail.now = false
  expect((await browser.open(`${site.url}/private`)).text).toBe('private')
})

test('a login that cannot be stored signs nobody in', async () => {
  const { store, fail } = plainStore()
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  const begun = await browser.open(`${site.url}/login`, (url) => url.pathname === '/callback')
  fail.now = true

  const visit = await browser.open(begun.url.href)

  expect(visit.response.status).toBe(503)
  fail.now = false
  expect((await browser.open(site.url)).text).toBe('out')
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

test('what a handler wrote before it signed the user out is not stored after it', async () => {
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

test('a logout that the store did not take is told, and can be sent again', async () => {
  const { store, fail } = plainStore()
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const copy = createBrowser()
  for (const [name, cookie] of browser.cookies) copy.cookies.set(name, { ...cookie })
  const logOut = (): Promise<Response> =>
    browser.send(`${site.url}/logout`, {
      method: 'POST',
      headers: { origin: site.url, accept: 'text/html' },
    })

  fail.now = true
  const refused = await logOut()
  fail.now = false
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('You have not been logged out')
  expect((await logOut()).status).toBe(303)

  expect((await copy.open(site.url)).text).toBe('out')
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

test('req.session works with the store that comes with express-session, kept as it is', async () => {
  const { MemoryStore } = (await import('express-session')).default
  const store = new MemoryStore()
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.open(`${site.url}/set?theme=dark`)

  expect((await browser.open(`${site.url}/private`)).text).toBe('private')
  expect(await json(site, browser, '/data')).toEqual({ theme: 'dark' })
})

test('an anonymous visitor can have a session of the application', async () => {
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

/** A store with no abilities beyond those of express-session's, that can be told to fail. */
function plainStore(): { store: ExpressStore; calls: string[]; fail: { now: boolean } } {
  const records = new Map<string, string>()
  const calls: string[] = []
  const fail = { now: false }
  const answer = (call: string, done: ((error?: unknown) => void) | undefined): boolean => {
    calls.push(call)
    if (!fail.now) return true
    done?.(new Error('connection refused'))
    return false
  }
  const store: ExpressStore = {
    get(id, done) {
      if (!answer('get', done)) return
      const json = records.get(id)
      done(undefined, json === undefined ? null : JSON.parse(json))
    },
    set(id, record, done) {
      if (!answer('set', done)) return
      records.set(id, JSON.stringify(record))
      done?.()
    },
    destroy(id, done) {
      if (!answer('destroy', done)) return
      records.delete(id)
      done?.()
    },
    touch(_id, _record, done) {
      if (answer('touch', done)) done?.()
    },
  }
  return { store, calls, fail }
}
