import { createAuth } from '@latchkey/core'
import { type AuthOptions, getUser, requireUser } from '@latchkey/express'
import type { ErrorRequestHandler, Express, Request } from 'express'
import { expect, test } from 'vitest'
import { remember } from '../../../test/support/leaks.ts'
import { SESSION_SECRET } from './support/app.ts'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

declare module 'express-session' {
  interface SessionData {
    filled: string
    chosen: string
  }
}

/** Text that compresses badly, of so many characters. */
const filling = (length: number): string => 'x'.repeat(length)

const routes = (app: Express): void => {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
  app.get('/plain', (_req, res) => void res.send('plain'))
  app.get('/private', requireUser(), (req, res) => void res.send(`private to ${getUser(req).sub}`))
  app.get('/cart/:length', (req, res, next) => {
    req.session.filled = filling(Number(req.params.length))
    req.session.save((error) => (error ? next(error) : res.send('kept')))
  })
  app.get('/cart', (req, res) => void res.send(String(req.session.filled?.length)))
}

const start = (
  session: AuthOptions['session'] = {},
  options: AuthOptions = {},
  more: (app: Express) => void = () => {},
): Promise<Site> => {
  const all = (app: Express): void => {
    routes(app)
    more(app)
  }
  return startSite(all, { ...options, session: { ...session, store: 'cookie' } })
}

function save(req: Request): Promise<unknown> {
  req.session.chosen = 'dark'
  return new Promise((resolve) => void req.session.save(resolve))
}

/** The names and values of the cookies that a browser holds. */
const pairsOf = ({ cookies }: Browser): [name: string, value: string][] =>
  [...cookies].map(([key, { value }]) => [key.slice(key.indexOf(' ') + 1), value])
const namesOf = (browser: Browser): string[] => pairsOf(browser).map(([name]) => name)

/** A browser that is logged in. */
async function logIn(site: Site) {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const header = (): string =>
    pairsOf(browser)
      .map((pair) => pair.join('='))
      .join('; ')
  return { browser, header, open: async (path: string) => browser.open(site.url + path) }
}

/** Asks with a cookie header of one's own. */
const ask = async (site: Site, path: string, cookie: string): Promise<string> =>
  (await fetch(site.url + path, { headers: { cookie } })).text()

test('one log line at start says what sessions in cookies cannot do', () => {
  const lines: unknown[] = []
  const note = (level: string) => (facts: { code: string }, message: string) =>
    void lines.push([level, facts.code, message])
  createAuth({
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'https://app.example.com',
    session: { secret: SESSION_SECRET, store: 'cookie' },
    logger: { info: note('info'), warn: note('warn'), error: note('error') } as never,
  })
  expect(lines).toEqual([
    ['info', 'LATCHKEY_SESSIONS_IN_COOKIES', expect.stringMatching(/logout.*list.*revocation/)],
  ])
})

test('a back-channel route and a misspelt store are refused where sessions are in cookies', () => {
  const good = { baseUrl: 'https://app.example.com', issuer: 'https://login.example.com' }
  const make = (options: object) => () => createAuth({ ...good, clientId: 'app', ...options })
  const session = { secret: SESSION_SECRET, store: 'cookie' }
  expect(make({ session, routes: { backchannelLogout: '/notices' } })).toThrow(
    /"routes.backchannelLogout" needs a session store/,
  )
  expect(make({ session: { ...session, store: 'cookies' } })).toThrow(
    /or "cookie", not this string/,
  )
})

test('to list or revoke sessions that are in cookies fails with a code, and says what to use', async () => {
  await using site = await start()
  await logIn(site)
  const { sessions, health } = site.router
  for (const asked of [
    sessions.list('ada'),
    sessions.revokeAll('ada'),
    sessions.revoke('ada', 'x'),
  ]) {
    await expect(asked).rejects.toMatchObject({
      code: 'LATCHKEY_CONFIG_INVALID',
      message: expect.stringMatching(/"session.store" sessions in cookies cannot be listed/),
    })
  }
  await site.router.ready()
  expect(health().sessions).toBe('ok')
})

test('a session that does not fit one cookie uses two, within the limits of browsers and proxies', async () => {
  await using site = await start()
  const { browser, header, open } = await logIn(site)
  expect(browser.cookies.size).toBe(1)
  const { response } = await open('/cart/3000')
  const lines = response.headers.getSetCookie()
  expect(lines.map((line) => line.split('=')[0])).toEqual(['latchkey', 'latchkey.1'])
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(4096)
  expect(header().length).toBeLessThanOrEqual(8192)
  expect((await open('/cart')).text).toBe('3000')
})

test('a session that shrinks removes the cookie it no longer needs, and a logout removes all', async () => {
  await using site = await start()
  const { browser, header, open } = await logIn(site)
  await open('/cart/3000')
  expect(namesOf(browser)).toEqual(['latchkey', 'latchkey.1'])
  await open('/cart/10')
  expect(namesOf(browser)).toEqual(['latchkey'])
  await open('/cart/3000')
  const copy = header()
  await browser.send(`${site.url}/logout`, { method: 'POST' })
  expect(namesOf(browser)).toEqual([])
  // As long as this process runs, it remembers.
  expect(await ask(site, '/', copy)).toBe('out')
})

test('a left-over cookie of a longer session does no harm', async () => {
  await using site = await start()
  const { header, open } = await logIn(site)
  await open('/cart/10')
  expect(await ask(site, '/', `${header()}; latchkey.1=AAAA; latchkey.7=x`)).toBe('in as ada')
})

test('cookies that were changed, swapped, cut or mixed count as no session, without an error', async () => {
  await using site = await start()
  const [ada, other] = [await logIn(site), await logIn(site)]
  await ada.open('/cart/3000')
  await other.open('/cart/3000')
  const chunksOf = (header: string): string[] =>
    header.split('; ').map((one) => one.split('=')[1] ?? '')
  const [first = '', second = ''] = chunksOf(ada.header())
  const [otherFirst = '', otherSecond = ''] = chunksOf(other.header())
  const body = first.slice(2)
  for (const [one, two] of [
    [first, otherSecond],
    [otherFirst, second],
    [`2.${second}`, body],
    [first, second.slice(0, -1)],
    [first, ''],
    [`1.${body}`, second],
    [`0.${body}`, second],
    [`99.${body}`, second],
    [`2.${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`, second],
    ['2.', second],
    ['1.AAAA', ''],
  ]) {
    expect(await ask(site, '/', `latchkey=${one}; latchkey.1=${two}`)).toBe('out')
  }
  expect(await ask(site, '/', `latchkey.1=${second}; latchkey=${first}`)).toBe('in as ada')
})

test('a session does not open under the name of another application with the same secret', async () => {
  await using one = await start()
  await using two = await start({ cookie: { name: 'second' } })
  const { header } = await logIn(one)
  expect(await ask(two, '/', header().replace('latchkey=', 'second='))).toBe('out')
})

test('a login whose session does not fit is an error page with a code, and the log says what takes the space', async () => {
  const claim = filling(7000)
  await using site = await start(
    {},
    {
      hooks: {
        afterCallback: ({ user }) => ({ user: { ...user, photo: claim } }),
      },
    },
  )
  const browser = createBrowser()
  const { response, text } = await browser.open(`${site.url}/login`)
  expect(response.status).toBe(500)
  expect(text).toContain('LATCHKEY_SESSION_TOO_LARGE')
  expect(namesOf(browser)).not.toContain('latchkey')
  const lines = site.log.filter(({ facts }) => facts.code === 'LATCHKEY_SESSION_TOO_LARGE')
  expect(lines).toHaveLength(1)
  expect(lines[0]?.level).toBe('error')
  expect(lines[0]?.message).toMatch(
    /takes \d+ characters.*parts: the user 9\d\d\d, the ID token \d+/,
  )
})

test('the log line about a session that is too large has the sizes in bytes, and no part that is absent', async () => {
  await using site = await start({}, {}, (app) => {
    app.get('/wide', (req, res, next) => {
      req.session.filled = '€'.repeat(3000)
      req.session.save((error) => (error ? next(error) : res.send('kept')))
    })
  })
  await createBrowser().open(`${site.url}/wide`)
  const [line] = site.log.filter(({ facts }) => facts.code === 'LATCHKEY_SESSION_TOO_LARGE')
  // 9,000 bytes of UTF-8 are 12,000 characters of a cookie.
  expect(line?.message).toMatch(
    /takes 12\d\d\d .*Its largest parts: the data of the application 120\d\d\.$/,
  )
})

test('data that does not fit is an error for the handler, and the login stays', async () => {
  await using site = await start()
  const { open } = await logIn(site)
  await open('/cart/10')
  const refused = await open('/cart/7000')
  expect(refused.response.status).toBe(500)
  expect((await open('/cart')).text).toBe('10')
  expect((await open('/')).text).toBe('in as ada')
  expect(site.log.map(({ facts }) => facts.code)).toContain('LATCHKEY_SESSION_TOO_LARGE')
})

test('the largest session that fits is extended at each use, and can log out', async () => {
  let ahead = 0
  const begun = Math.floor(Date.now() / 1000)
  await using site = await start({}, { now: () => begun + ahead })
  const { open, browser } = await logIn(site)
  let largest = 0
  for (let length = 3000, step = 2048; step >= 1; step /= 2) {
    const { status } = (await open(`/cart/${length + step}`)).response
    if (status === 200) largest = length += step
  }
  expect((await open(`/cart/${largest + 1}`)).response.status).toBe(500)
  for (let use = 1; use <= 10; use++) {
    ahead += 61
    const before = String(pairsOf(browser))
    expect((await open('/cart')).text).toBe(String(largest))
    expect(String(pairsOf(browser))).not.toBe(before)
  }
  ahead += 61
  const headers = { origin: site.url }
  const { status } = await browser.send(`${site.url}/logout`, { method: 'POST', headers })
  expect([status, (await open('/')).text]).toEqual([303, 'out'])
})

test('a copy of a cookie expires when it is idle, and at its absolute timeout in any case', async () => {
  let ahead = 0
  const now = (): number => Math.floor(Date.now() / 1000) + ahead
  await using site = await start({ idleSeconds: 600, absoluteSeconds: 1800 }, { now })
  const { header, open } = await logIn(site)
  const copy = header()
  ahead = 550
  expect((await open('/')).text).toBe('in as ada')
  ahead = 601
  expect(await ask(site, '/', copy)).toBe('out')
  expect((await open('/')).text).toBe('in as ada')
  for (ahead = 1100; ahead < 1800; ahead += 500) expect((await open('/')).text).toBe('in as ada')
  ahead = 1790
  expect(await ask(site, '/', header())).toBe('in as ada')
  ahead = 1801
  expect(await ask(site, '/', header())).toBe('out')
})

test('a page that does not look at the session sets no cookie, so that caches may keep it', async () => {
  let ahead = 0
  await using site = await start({}, { now: () => Math.floor(Date.now() / 1000) + ahead })
  const { header } = await logIn(site)
  ahead = 3600
  const answer = await fetch(`${site.url}/plain`, { headers: { cookie: header() } })
  expect(answer.headers.getSetCookie()).toEqual([])
  const looked = await fetch(`${site.url}/private`, { headers: { cookie: header() } })
  expect(looked.headers.getSetCookie()).toHaveLength(1)
})

test('two requests at a time that change different names of the session are both kept', async () => {
  const isBoth = Promise.withResolvers<void>()
  let arrived = 0
  await using site = await start({}, {}, (app) => {
    app.get('/change/:name', async (req, res) => {
      void req.session.filled
      if (++arrived === 2) isBoth.resolve()
      await isBoth.promise
      req.session[req.params.name as 'chosen'] = 'changed'
      res.send('changed')
    })
    app.get('/names', (req, res) => void res.send(Object.keys(req.session).sort().join(' ')))
  })
  const { header, open } = await logIn(site)
  const cookie = header()
  const answers = await Promise.all(
    ['chosen', 'filled'].map((name) =>
      fetch(`${site.url}/change/${name}`, { headers: { cookie } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect((await open('/names')).text).toBe('chosen cookie filled')
})

/** A user with a page that is opened and waits, while another page of the same browser is opened. */
async function beside(
  slow: (req: Request) => unknown,
  after: (req: Request) => unknown = () => {},
) {
  let ahead = 0
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const site = await start({}, { now: () => Math.floor(Date.now() / 1000) + ahead }, (app) => {
    app.get('/slow', requireUser(), async (req, res) => {
      await slow(req)
      arrived.resolve()
      await released.promise
      await after(req)
      if (!res.headersSent) res.send('slow')
    })
    app.get('/renew', requireUser(), async (req, res) => {
      await req.auth.renewSession()
      res.send('renewed')
    })
  })
  const user = await logIn(site)
  return {
    ...user,
    site,
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
    /** Makes the touch of the session due. */
    later: () => {
      ahead += 120
    },
    /** Opens the slow page, which is answered after `happens`. Resolves to its cookies. */
    async during(happens: () => Promise<unknown>): Promise<string[]> {
      const answer = user.open('/slow')
      await arrived.promise
      await happens()
      released.resolve()
      return (await answer).response.headers.getSetCookie()
    },
    logOut: () => user.browser.send(`${site.url}/logout`, { method: 'POST' }),
  }
}

test.each([
  ['whose session was touched ends', () => {}],
  ['that has saved data ends', save],
  ['that has refreshed its tokens ends', (req: Request) => req.auth.accessToken({ force: true })],
  [
    'changes data at its end',
    () => {},
    (req: Request) => Object.assign(req.session, { chosen: 'x' }),
  ],
  ['cannot renew it, too', () => {}, (req: Request) => req.auth.renewSession().catch(() => {})],
] as const)(
  'a session that another request renews is kept when a slow request %s',
  async (_how, slow, after?: (req: Request) => unknown) => {
    await using user = await beside(slow, after)
    user.later()

    const cookies = await user.during(async () => {
      expect((await user.open('/renew')).text).toBe('renewed')
    })

    expect(cookies).toEqual([])
    expect((await user.open('/')).text).toBe('in as ada')
  },
)

test('a session that a logout of another tab ends stays ended when a slow request ends', async () => {
  await using user = await beside((req) => req.auth.accessToken({ force: true }))
  const copy = user.header()

  expect(await user.during(user.logOut)).toEqual([])

  expect(namesOf(user.browser)).toEqual([])
  expect(await ask(user.site, '/', copy)).toBe('out')
})

test.each([
  ['has ended in this process before', (cookie: string) => cookie],
  ['cannot be opened here', (cookie: string) => cookie.replace(/.$/, '_')],
] as const)(
  'a logout removes a cookie whose session %s, because another process may accept it',
  async (_what, sent) => {
    await using user = await beside(() => {})
    const [name = ''] = namesOf(user.browser)
    const cookie = user.header()
    await user.logOut()

    const answer = await fetch(`${user.site.url}/logout`, {
      method: 'POST',
      headers: { cookie: sent(cookie), 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(new RegExp(`^${name}=;.*Max-Age=0`)),
    )
  },
)

test('a slow request that logs out removes the cookie, although another request has renewed the session', async () => {
  await using user = await beside(
    () => {},
    (req) => req.auth.logout(),
  )

  await user.during(() => user.open('/renew'))

  expect(namesOf(user.browser)).toEqual([])
})

test('a logout ends a session whose renewal is still being answered', async () => {
  await using user = await beside((req) => req.auth.renewSession())

  expect(await user.during(user.logOut)).toEqual([])

  expect(namesOf(user.browser)).toEqual([])
  expect((await user.open('/')).text).toBe('out')
})

test('a logout that began before a renewal ends the renewed session', async () => {
  await using user = await beside(
    (req) => req.auth.user,
    (req) => req.auth.logout(),
  )
  let renewed = ''

  await user.during(async () => {
    await user.open('/renew')
    renewed = user.header()
  })

  expect(await ask(user.site, '/', renewed)).toBe('out')
})

test('a streamed answer takes along what the handler changed before its first byte', async () => {
  await using site = await start({}, {}, (app) => {
    app.get('/stream', (req, res) => {
      req.session.filled = 'tea'
      res.write('one ')
      res.end('two')
    })
  })
  const { open } = await logIn(site)
  expect((await open('/stream')).text).toBe('one two')
  expect((await open('/cart')).text).toBe('3')
})

test.each([
  ['renewed', (req: Request) => req.auth.renewSession()],
  ['regenerated', (req: Request) => new Promise((resolve) => void req.session.regenerate(resolve))],
  ['saved', save],
  [
    'refreshed',
    (req: Request) => {
      void req.session.chosen
      return req.auth.accessToken({ force: true })
    },
  ],
] as const)(
  'a change before the first byte of a stream is sent too when the session was %s before',
  async (_how, prepare) => {
    const failed: unknown[] = []
    await using site = await start({}, {}, (app) => {
      app.get('/stream', requireUser(), async (req, res) => {
        await prepare(req)
        req.session.filled = 'tea'
        res.write('one ')
        res.end('two')
      })
      app.use(((error, _req, _res, next) => {
        failed.push(error.code)
        next(error)
      }) as ErrorRequestHandler)
    })
    const { open } = await logIn(site)

    expect((await open('/stream')).text).toBe('one two')
    expect(failed).toEqual([])
    expect((await open('/cart')).text).toBe('3')
    expect((await open('/')).text).toBe('in as ada')
  },
)

test('a change after the first byte is an error for the application when the session was renewed before', async () => {
  const failed: unknown[] = []
  await using site = await start({}, {}, (app) => {
    app.get('/late', requireUser(), async (req, res) => {
      await req.auth.renewSession()
      void req.session.chosen
      res.write('begun')
      req.session.chosen = 'dark'
      res.end()
    })
    app.get('/late-renewal', requireUser(), async (req, res) => {
      res.write('begun')
      await req.auth.renewSession().catch(({ code }) => failed.push(code))
      res.end()
    })
    app.get('/late-logout', requireUser(), async (req, res) => {
      res.write('begun')
      await req.auth.logout().catch(({ code }) => failed.push(code))
      res.end()
    })
    app.use(((error, _req, _res, _next) => void failed.push(error.code)) as ErrorRequestHandler)
  })
  const { open } = await logIn(site)

  expect((await open('/late')).text).toBe('begun')
  expect(failed).toEqual(['LATCHKEY_SESSION_NOT_SENT'])
  expect((await open('/late-renewal')).text).toBe('begun')
  expect(failed).toEqual(['LATCHKEY_SESSION_NOT_SENT', 'LATCHKEY_SESSION_NOT_SENT'])
  expect((await open('/')).text).toBe('in as ada')
})

test('after the first byte, a change of the session is an error, and no refresh token is used up', async () => {
  const seen: unknown[] = []
  await using site = await start({}, {}, (app) => {
    app.get('/late', requireUser(), async (req, res) => {
      void req.session.chosen
      res.write('begun')
      const failed = (error: { code: string }): void => void seen.push(error.code)
      await req.auth.accessToken({ force: true }).catch(failed)
      req.session.chosen = 'dark'
      await new Promise<void>((resolve) => {
        req.session.save((error) => {
          failed(error)
          resolve()
        })
      })
      delete (req.session as { chosen?: string }).chosen
      res.end()
    })
  })
  const { open } = await logIn(site)
  const before = site.provider.count('/token')
  expect((await open('/late')).text).toBe('begun')
  expect(seen).toEqual(['LATCHKEY_SESSION_NOT_SENT', 'LATCHKEY_SESSION_NOT_SENT'])
  expect(site.provider.count('/token')).toBe(before)
  expect(site.log.map(({ facts }) => facts.code)).toContain('LATCHKEY_SESSION_NOT_SENT')
  expect((await open('/')).text).toBe('in as ada')
})

test.each([
  ['renewSession()', (req: Request) => req.auth.renewSession()],
  [
    'regenerate()',
    (req: Request) => new Promise((resolve) => void req.session.regenerate(resolve)),
  ],
])(
  'after %s the user stays logged in, also at a process that has not written the session',
  async (_how, renew) => {
    const more = (app: Express): void => {
      app.get('/renewed', requireUser(), async (req, res) => {
        await renew(req)
        res.send('renewed')
      })
    }
    await using site = await start()
    const { issuer, clientId, clientSecret } = site.provider
    await using other = await start({}, { issuer, clientId, clientSecret }, more)
    const { header } = await logIn(site)
    const at = async (cookie: string, path: string) => {
      const answer = await fetch(other.url + path, { headers: { cookie } })
      return { text: await answer.text(), cookies: answer.headers.getSetCookie() }
    }

    const renewed = await at(header(), '/renewed')

    expect(renewed.text).toBe('renewed')
    const cookie = renewed.cookies.map((line) => line.split(';')[0]).join('; ')
    expect((await at(cookie, '/')).text).toBe('in as ada')
    expect((await at(header(), '/')).text).toBe('out')
  },
)

test('a user who is refreshed at a request that does not read the session is stored', async () => {
  let ahead = 0
  const now = (): number => Math.floor(Date.now() / 1000) + ahead
  await using site = await start({}, { now, userinfo: { everySeconds: 300 } })
  const { header } = await logIn(site)
  ahead = 301
  const before = site.provider.count('/userinfo')
  const answer = await fetch(`${site.url}/plain`, { headers: { cookie: header() } })
  expect(site.provider.count('/userinfo')).toBe(before + 1)
  expect(answer.headers.getSetCookie()).toHaveLength(1)
  expect(answer.headers.get('cache-control')).toContain('no-store')
})

test('req.session.reload() and regenerate() work on a session in the cookie', async () => {
  await using site = await start({}, {}, (app) => {
    app.get('/reload', (req, res, next) => {
      req.session.filled = 'never saved'
      req.session.reload((error) => (error ? next(error) : res.send(String(req.session.filled))))
    })
    app.get('/renew', (req, res, next) => {
      const { id } = req.session
      req.session.regenerate((error) => {
        if (error) next(error)
        else res.send(`${req.session.id !== id} ${req.session.filled} ${req.auth.isAuthenticated}`)
      })
    })
  })
  const { header, open } = await logIn(site)
  await open('/cart/10')
  expect((await open('/reload')).text).toBe(filling(10))
  const before = header()
  expect((await open('/renew')).text).toBe('true undefined true')
  expect((await open('/')).text).toBe('in as ada')
  expect(await ask(site, '/', before)).toBe('out')
})

test('sessions move from a store to cookies, and back, with a login and without an error', async () => {
  await using stored = await startSite(routes)
  await using sealed = await start()
  remember('session secret', SESSION_SECRET)
  const [one, two] = [await logIn(stored), await logIn(sealed)]
  expect(await ask(sealed, '/', one.header())).toBe('out')
  expect(await ask(stored, '/', two.header())).toBe('out')
})

test('a renewal keeps what this request has saved, also after the process has forgotten it', async () => {
  let ahead = 0
  await using site = await start(
    {},
    { now: () => Math.floor(Date.now() / 1000) + ahead },
    (app) => {
      app.get('/chosen', (req, res) => void res.send(req.session.chosen ?? 'nothing'))
      app.get('/choose', async (req, res) => {
        await save(req)
        ahead += 61
        await req.auth.renewSession()
        ahead += 61
        await req.auth.renewSession()
        res.send('chosen')
      })
    },
  )
  const { open } = await logIn(site)
  expect((await open('/choose')).text).toBe('chosen')
  expect((await open('/chosen')).text).toBe('dark')
  expect((await open('/')).text).toBe('in as ada')
})
