import { createMemoryStore, type SessionStore } from '@latchkey/core'
import type { AuthOptions } from '@latchkey/express'
import { expect, test, vi } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

function start(options: AuthOptions = {}): Promise<Site> {
  return startSite((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
    })
    app.get('/sessions', async (req, res) => {
      res.json({ own: req.auth.session, auth: req.auth })
    })
  }, options)
}

async function device(site: Site, sub = 'ada'): Promise<Browser> {
  const browser = createBrowser()
  site.provider.user = { sub }
  await browser.open(`${site.url}/login`)
  expect((await browser.open(site.url)).text).toBe(`in as ${sub}`)
  return browser
}

function post(site: Site, token: string): Promise<Response> {
  return createBrowser().send(`${site.url}/backchannel-logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }).toString(),
  })
}

async function notify(site: Site, token: string): Promise<number> {
  const response = await post(site, token)
  expect(response.headers.get('cache-control')).toContain('no-store')
  return response.status
}

const state = async (site: Site, browser: Browser): Promise<string> =>
  (await browser.open(site.url)).text

test('a logout token for a user ends every session of that user and no other session', async () => {
  await using site = await start()
  const devices = [await device(site), await device(site), await device(site)]
  const bob = await device(site, 'bob')

  expect(await notify(site, site.provider.logoutToken({ sub: 'ada' }))).toBe(200)

  for (const browser of devices) expect(await state(site, browser)).toBe('out')
  expect(await state(site, bob)).toBe('in as bob')
})

test('a login on one device after a logout token leaves the other devices logged out', async () => {
  await using site = await start()
  const [first, second] = [await device(site), await device(site)]
  await notify(site, site.provider.logoutToken({ sub: 'ada' }))

  const third = await device(site)

  expect(await state(site, third)).toBe('in as ada')
  expect(await state(site, first)).toBe('out')
  expect(await state(site, second)).toBe('out')
})

test('a logout token for one session at the provider does not end the others', async () => {
  await using site = await start()
  const first = await device(site)
  const second = await device(site)
  const sids = site.provider.issuedSids()

  await notify(site, site.provider.logoutToken({ sid: sids[0] }))

  expect(await state(site, first)).toBe('out')
  expect(await state(site, second)).toBe('in as ada')
})

test('a logout token with a sid and the sub of another user ends no session', async () => {
  await using site = await start()
  const ada = await device(site)
  const [sid] = site.provider.issuedSids()

  await notify(site, site.provider.logoutToken({ sid, sub: 'bob' }))

  expect(await state(site, ada)).toBe('in as ada')
})

test('the same logout token a second time does not end the new session', async () => {
  await using site = await start()
  await device(site)
  const token = site.provider.logoutToken({ sub: 'ada' })
  await notify(site, token)
  const again = await device(site)

  expect(await notify(site, token)).toBe(400)

  expect(await state(site, again)).toBe('in as ada')
})

/** A store that fails once, in the middle of ending sessions. */
function storeThatFailsOnce(): { store: SessionStore; failNext(): void } {
  const inner = createMemoryStore()
  let failing = false
  const store: SessionStore = {
    ...inner,
    destroy(id) {
      if (!failing) return inner.destroy(id)
      failing = false
      throw new Error('the connection was lost')
    },
  }
  return {
    store,
    failNext: () => {
      failing = true
    },
  }
}

test('a logout token that failed with a store error works when the provider sends it again', async () => {
  const { store, failNext } = storeThatFailsOnce()
  await using site = await start({ session: { store } })
  const devices = [await device(site), await device(site)]
  const token = site.provider.logoutToken({ sub: 'ada' })
  failNext()

  expect(await notify(site, token)).toBe(503)
  expect(await notify(site, token)).toBe(200)

  for (const browser of devices) expect(await state(site, browser)).toBe('out')
  const again = await device(site)
  expect(await notify(site, token)).toBe(400)
  expect(await state(site, again)).toBe('in as ada')
})

test('a hook that fails lets the provider send the logout token again', async () => {
  let fails = true
  const ended: number[] = []
  await using site = await start({
    hooks: {
      onLogoutToken: (notice) => {
        ended.push(notice.ended)
        if (fails) throw new Error('the cache did not answer')
      },
    },
  })
  const ada = await device(site)
  const token = site.provider.logoutToken({ sub: 'ada' })

  expect((await post(site, token)).status).toBe(500)
  fails = false
  expect(await notify(site, token)).toBe(200)

  expect(ended).toEqual([1, 0])
  expect(await state(site, ada)).toBe('out')
})

test('a logout token without exp, as several providers send it, works once', async () => {
  await using site = await start()
  const ada = await device(site)
  site.provider.fault = 'logout token without exp'
  const token = site.provider.logoutToken({ sub: 'ada' })

  expect(await notify(site, token)).toBe(200)
  expect(await state(site, ada)).toBe('out')

  const again = await device(site)
  expect(await notify(site, token)).toBe(400)
  expect(await state(site, again)).toBe('in as ada')
})

test('a logout token works while the provider is down', async () => {
  await using site = await start()
  const ada = await device(site)
  const token = site.provider.logoutToken({ sub: 'ada' })
  await site.provider.stop()

  expect(await notify(site, token)).toBe(200)

  expect(await state(site, ada)).toBe('out')
})

test('a logout token signed with a key rotated this minute is accepted', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await start()
    const ada = await device(site)
    site.provider.rotateKey()
    vi.setSystemTime(Date.now() + 6000)

    expect(await notify(site, site.provider.logoutToken({ sub: 'ada' }))).toBe(200)

    expect(await state(site, ada)).toBe('out')
  } finally {
    vi.useRealTimers()
  }
})

test('a key that the provider withdrew is trusted for an hour at most', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await start()
    const ada = await device(site)
    const inAnHour = now() + 3600
    const token = site.provider.logoutToken({ sub: 'ada', iat: inAnHour, exp: inAnHour + 120 })
    site.provider.rotateKey()
    vi.setSystemTime(inAnHour * 1000)

    expect(await notify(site, token)).toBe(400)

    expect(await state(site, ada)).toBe('in as ada')
  } finally {
    vi.useRealTimers()
  }
})

test('a flood of logout tokens with unknown keys costs the provider two fetches of its keys', async () => {
  await using site = await start()
  await device(site)
  const before = site.provider.count('/jwks')
  for (let i = 0; i < 20; i++) {
    await notify(site, site.provider.logoutToken({ sub: 'ada' }, { kid: `unknown-${i}` }))
  }

  expect(site.provider.count('/jwks') - before).toBeLessThanOrEqual(2)
})

const now = (): number => Math.floor(Date.now() / 1000)

test.each<[string, (site: Site) => string]>([
  ['without iat', ({ provider }) => provider.logoutToken({ sub: 'ada', iat: undefined })],
  [
    'without exp, older than 600 s',
    ({ provider }) => provider.logoutToken({ sub: 'ada', exp: undefined, iat: now() - 640 }),
  ],
  [
    'with an exp that is no number',
    ({ provider }) => provider.logoutToken({ sub: 'ada', exp: 'x' }),
  ],
  ['without jti', ({ provider }) => provider.logoutToken({ sub: 'ada', jti: undefined })],
  ['without sub and sid', ({ provider }) => provider.logoutToken({})],
  ['with a sub that is no text', ({ provider }) => provider.logoutToken({ sub: ['ada'] })],
  ['without events', ({ provider }) => provider.logoutToken({ sub: 'ada', events: undefined })],
  [
    'about another event',
    ({ provider }) => provider.logoutToken({ sub: 'ada', events: { x: {} } }),
  ],
  ['with a nonce', ({ provider }) => provider.logoutToken({ sub: 'ada', nonce: 'n' })],
  ['with a nonce of null', ({ provider }) => provider.logoutToken({ sub: 'ada', nonce: null })],
  ['from another issuer', ({ provider }) => provider.logoutToken({ sub: 'ada', iss: 'https://x' })],
  ['for another client', ({ provider }) => provider.logoutToken({ sub: 'ada', aud: 'x' })],
  ['without aud', ({ provider }) => provider.logoutToken({ sub: 'ada', aud: undefined })],
  ['that has expired', ({ provider }) => provider.logoutToken({ sub: 'ada', exp: now() - 60 })],
  ['from the future', ({ provider }) => provider.logoutToken({ sub: 'ada', iat: now() + 600 })],
  [
    'that is an hour old',
    ({ provider }) => provider.logoutToken({ sub: 'ada', iat: now() - 3600 }),
  ],
  [
    'typed as an access token',
    ({ provider }) => provider.logoutToken({ sub: 'ada' }, { typ: 'at+jwt' }),
  ],
  [
    'with a critical header',
    ({ provider }) => provider.logoutToken({ sub: 'ada' }, { crit: ['b64'] }),
  ],
  ['with alg none', ({ provider }) => provider.logoutToken({ sub: 'ada' }, { alg: 'none' })],
  ['with alg HS256', ({ provider }) => provider.logoutToken({ sub: 'ada' }, { alg: 'HS256' })],
  [
    'with alg constructor',
    ({ provider }) => provider.logoutToken({ sub: 'ada' }, { alg: 'constructor' }),
  ],
  ['with a changed payload', ({ provider }) => tamper(provider.logoutToken({ sub: 'bob' }))],
  [
    'without a signature',
    ({ provider }) => provider.logoutToken({ sub: 'ada' }).replace(/[^.]*$/, ''),
  ],
  ['that is no JWT', () => 'nonsense'],
  ['that is empty', () => ''],
  ['of a megabyte', () => `${'a'.repeat(30_000)}.b.c`],
])('a logout token %s is refused and ends nothing', async (_name, make) => {
  await using site = await start()
  const ada = await device(site)

  expect(await notify(site, make(site))).toBe(400)

  expect(await state(site, ada)).toBe('in as ada')
})

test.each([null, ''])(
  'a logout token whose "sid" or "exp" is %j is one without it',
  async (nothing) => {
    await using site = await start()
    for (const name of ['sid', 'exp']) {
      const ada = await device(site)
      expect(await notify(site, site.provider.logoutToken({ sub: 'ada', [name]: nothing }))).toBe(
        200,
      )
      expect(await state(site, ada)).not.toBe('in as ada')
    }
  },
)

function tamper(token: string): string {
  const [header, payload = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'ada' })).toString('base64url')
  return `${header}.${changed}.${signature}`
}

test('a user sees their sessions, ends one of them, and ends all but the one they use', async () => {
  await using site = await start()
  const devices = [await device(site), await device(site), await device(site)]
  await device(site, 'bob')
  const own = async (browser: Browser): Promise<{ id: string }> =>
    JSON.parse((await browser.open(`${site.url}/sessions`)).text).own
  const [first, second, third] = devices as [Browser, Browser, Browser]

  const listed = await site.router.sessions.list('ada')
  expect(listed).toHaveLength(3)
  // The list also says when each was seen last.
  expect(listed).toContainEqual(expect.objectContaining(await own(second)))

  expect(await site.router.sessions.revoke('bob', (await own(second)).id)).toBe(false)
  expect(await site.router.sessions.revoke('ada', (await own(second)).id)).toBe(true)
  expect(await state(site, second)).toBe('out')

  const { id } = await own(third)
  expect(await site.router.sessions.revokeAll('ada', { except: id })).toBe(1)
  expect(await state(site, first)).toBe('out')
  expect(await state(site, third)).toBe('in as ada')
})

test('the ids in a session list cannot be used as session cookies', async () => {
  await using site = await start()
  const ada = await device(site)
  const [info] = await site.router.sessions.list('ada')
  const cookie = ada.cookies.get(`${new URL(site.url).host}/ latchkey`)?.value

  expect(cookie).toBeTruthy()
  expect(cookie).not.toContain(info?.id as string)
})

test('with a store that cannot find sessions there is no back-channel route', async () => {
  const { index: _index, ...store } = createMemoryStore()
  await using site = await startSite(() => {}, { session: { store } })

  const response = await createBrowser().send(`${site.url}/backchannel-logout`, { method: 'POST' })

  expect(response.status).toBe(404)
})
