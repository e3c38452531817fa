import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryStore, type SessionStore } from '@latchkey/core'
import { type AuthOptions, requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

async function start(options: AuthOptions = {}): Promise<Site> {
  const site = await startSite((app) => {
    app.use(['/token', '/force'], (_req, res, next) => {
      res.locals.showsSecrets = true
      next()
    })
    app.get('/token', requireUser(), async (req, res) => {
      res.send(await req.auth.accessToken())
    })
    app.get('/force', requireUser(), async (req, res) => {
      res.send(await req.auth.accessToken({ force: true }))
    })
    app.get('/me', requireUser(), async (req, res) => {
      res.json(await req.auth.fetchUserInfo())
    })
    app.get('/count', requireUser(), async (req, res) => {
      const session = req.session as unknown as { count?: number }
      session.count = (session.count ?? 0) + 1
      await req.auth.accessToken({ force: true })
      res.send(String(session.count))
    })
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
    app.use(((error, _req, res, _next) => {
      res.status(error.status ?? 500).send(error.code ?? String(error))
    }) as import('express').ErrorRequestHandler)
  }, options)
  return site
}

async function signIn(site: Site, sub = 'ada'): Promise<Browser> {
  const browser = createBrowser()
  site.provider.user = { sub }
  await browser.open(`${site.url}/login`)
  return browser
}

const text = async (site: Site, browser: Browser, path: string): Promise<string> =>
  (await browser.open(site.url + path)).text

test('a valid access token is returned without a refresh', async () => {
  await using site = await start()
  const browser = await signIn(site)

  const first = await text(site, browser, '/token')

  expect(first).toMatch(/^access-/)
  expect(await text(site, browser, '/token')).toBe(first)
  expect(site.provider.count('/token')).toBe(1)
})

/** A site whose clock can be moved ahead; its access tokens last a minute. */
async function startAheadOfTime(): Promise<{ site: Site; advance: (seconds: number) => void }> {
  let ahead = 0
  const advance = (seconds: number): void => {
    ahead += seconds
  }
  const site = await start({ now: () => Math.floor(Date.now() / 1000) + ahead })
  site.provider.accessTokenSeconds = 60
  return { site, advance }
}

test('an access token that is about to expire is refreshed first, and the new one is stored', async () => {
  const { site, advance } = await startAheadOfTime()
  await using _ = site
  const browser = await signIn(site)
  advance(40)

  const refreshed = await text(site, browser, '/token')

  expect(site.provider.count('/token')).toBe(2)
  expect(await text(site, browser, '/token')).toBe(refreshed)
  expect(site.provider.count('/token')).toBe(2)
})

test('an access token that lasts 20 seconds is refreshed after half of them, not at every request', async () => {
  const { site, advance } = await startAheadOfTime()
  await using _ = site
  site.provider.accessTokenSeconds = 20
  const browser = await signIn(site)

  const first = await text(site, browser, '/token')
  advance(8)
  expect(await text(site, browser, '/token')).toBe(first)
  expect(site.provider.count('/token')).toBe(1)

  advance(4)
  expect(await text(site, browser, '/token')).not.toBe(first)
  expect(site.provider.count('/token')).toBe(2)
})

test('ten requests at once refresh once, and all receive the same token', async () => {
  const { site, advance } = await startAheadOfTime()
  await using _ = site
  const browser = await signIn(site)
  advance(40)

  const tokens = await Promise.all(Array.from({ length: 10 }, () => text(site, browser, '/token')))

  expect(new Set(tokens).size).toBe(1)
  expect(site.provider.count('/token')).toBe(2)
  expect(await text(site, browser, '/force')).toMatch(/^access-/)
})

test('sessions that refresh at the same moment never receive the token of another', async () => {
  const { site, advance } = await startAheadOfTime()
  await using _ = site
  const users = Array.from({ length: 12 }, (_, i) => `user-${i}`)
  const browsers: Browser[] = []
  for (const sub of users) browsers.push(await signIn(site, sub))
  advance(40)

  const answers = await Promise.all(browsers.map((browser) => text(site, browser, '/me')))

  expect(answers.map((answer) => JSON.parse(answer).sub)).toEqual(users)
})

test('a write of the application during a refresh does not undo the refresh', async () => {
  await using site = await start()
  const browser = await signIn(site)

  expect(await text(site, browser, '/count')).toBe('1')
  expect(await text(site, browser, '/count')).toBe('2')

  expect(await text(site, browser, '/force')).toMatch(/^access-/)
})

test('if the provider is down for a moment, the session stays, and the access token until it expires', async () => {
  await using site = await start()
  site.provider.accessTokenSeconds = 20
  const browser = await signIn(site)
  site.provider.fault = 'token: server error'

  expect(await text(site, browser, '/token')).toMatch(/^access-/)
  expect(await text(site, browser, '/force')).toBe('LATCHKEY_REFRESH_UNAVAILABLE')
  site.provider.fault = undefined
  expect(await text(site, browser, '/force')).toMatch(/^access-/)
})

test('a store that fails after the provider has answered is an error, although the token has not expired', async () => {
  const begun = Math.floor(Date.now() / 1000)
  let ahead = 0
  let isDown = false
  const memory = createMemoryStore()
  const store: SessionStore = {
    ...memory,
    isInProcess: false,
    update(...changed) {
      if (isDown) throw new Error('The store is down.')
      return memory.update(...changed)
    },
  }
  await using site = await start({ session: { store }, now: () => begun + ahead })
  site.provider.accessTokenSeconds = 60
  const browser = await signIn(site)
  ahead = 50
  isDown = true

  expect(await text(site, browser, '/token')).toBe('LATCHKEY_SESSION_UNAVAILABLE')
  expect(site.provider.count('/token')).toBe(2)
})

test('a refresh token that the provider rejects ends the session', async () => {
  await using site = await start()
  const browser = await signIn(site)
  site.provider.fault = 'invalid_grant'

  expect(await text(site, browser, '/force')).toBe('LATCHKEY_REFRESH_REJECTED')
  expect(await text(site, browser, '/')).toBe('out')
})

test('a refresh answered with tokens of another user ends the session', async () => {
  await using site = await start()
  const browser = await signIn(site)
  site.provider.fault = 'id_token of another user'

  expect(await text(site, browser, '/force')).toBe('LATCHKEY_REFRESH_REJECTED')
  expect(await text(site, browser, '/')).toBe('out')
})

test('a refresh that finishes after a logout does not bring the session back', async () => {
  await using site = await start()
  const browser = await signIn(site)
  site.provider.fault = 'token: delayed'
  const refreshing = text(site, browser, '/force')
  await expect.poll(() => site.provider.count('/token')).toBe(2)
  const copy = createBrowser()
  for (const [key, cookie] of browser.cookies) copy.cookies.set(key, cookie)
  await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
  site.provider.release()

  expect(await refreshing).toBe('LATCHKEY_REFRESH_REJECTED')
  expect(await text(site, copy, '/')).toBe('out')
})

test('the refresh token is not sent twice to a slow provider within the time limit of the options', async () => {
  let now = Math.floor(Date.now() / 1000)
  const store = createMemoryStore({ now: () => now })
  const options = { timeoutSeconds: 60, now: () => now, session: { store } }
  await using first = await start(options)
  const { issuer } = first.provider
  await using second = await start({ ...options, issuer, baseUrl: first.url })
  const browser = await signIn(first)
  const elsewhere = createBrowser({ [first.url]: second.url })
  for (const [key, cookie] of browser.cookies) elsewhere.cookies.set(key, cookie)
  first.provider.fault = 'token: delayed'
  const slow = text(first, browser, '/force')
  await expect.poll(() => first.provider.count('/token')).toBe(2)

  now += 45
  const waiting = text(first, elsewhere, '/force')
  await sleep(200)
  first.provider.release()

  expect(await slow).toMatch(/^access-/)
  expect(await waiting).toBe(await slow)
  expect(first.provider.count('/token')).toBe(2)
})

test('userinfo that speaks of another user is refused', async () => {
  await using site = await start()
  const browser = await signIn(site)
  site.provider.fault = 'userinfo of another user'

  expect(await text(site, browser, '/me')).toBe('LATCHKEY_USERINFO_INVALID')
})
