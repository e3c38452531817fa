import { requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import type { ErrorRequestHandler } from 'express'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from '../../express/test/support/browser.ts'
import { type Site, startSite } from '../../express/test/support/site.ts'
import { startRedis, until } from './support/redis.ts'

type Store = ReturnType<typeof createSessionStore>

function start(store: Store): Promise<Site> {
  return startSite(
    (app) => {
      app.get('/public', (_req, res) => void res.send('open to all'))
      app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
    },
    { session: { store } },
  )
}

async function signIn(site: Site): Promise<Browser> {
  const browser = createBrowser()
  const { url } = await browser.open(`${site.url}/login?returnTo=/public`)
  expect(url.pathname).toBe('/public')
  return browser
}

const status = async (site: Site, browser: Browser, path: string): Promise<number> =>
  (await browser.send(site.url + path, { headers: { accept: 'text/html' } })).status

/** What must hold while sessions cannot be read. */
async function expectUnavailable(site: Site, browser: Browser, store: Store): Promise<void> {
  const answer = await browser.send(`${site.url}/account`, { headers: { accept: 'text/html' } })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await status(site, browser, '/public')).toBe(200)
  expect('health' in store && store.health().status).toBe('unavailable')
}

async function expectBack(site: Site, browser: Browser, store: Store): Promise<void> {
  await until('sessions are back', async () => (await status(site, browser, '/account')) === 200)
  expect('health' in store && store.health().status).toBe('ok')
}

test.concurrent('an application starts without Redis, and signs people in once it is there', async () => {
  await using redis = await startRedis()
  await redis.kill()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const stranger = createBrowser()

  expect(await status(site, stranger, '/public')).toBe(200)
  expect((await stranger.open(`${site.url}/login?returnTo=/account`)).response.status).toBe(503)

  await redis.restart()
  await until('Redis answers the store', () => store.ready().then(() => true))
  const browser = await signIn(site)
  expect(await status(site, browser, '/account')).toBe(200)
  await store.close()
})

test.concurrent('without Redis, ready() fails and health() says so before anybody has asked for a session', async () => {
  await using redis = await startRedis()
  await redis.kill()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const sessions = (): string => site.router.health().sessions

  await until('health knows', () => sessions() === 'unavailable')
  await site.provider.stop()
  await expect(site.router.ready()).rejects.toMatchObject({
    errors: [{ code: 'LATCHKEY_PROVIDER_UNAVAILABLE' }, { code: 'LATCHKEY_SESSION_UNAVAILABLE' }],
  })
  await site.provider.start()
  await expect(site.router.ready()).rejects.toMatchObject({ code: 'LATCHKEY_SESSION_UNAVAILABLE' })

  await redis.restart()
  await until('health knows', () => sessions() === 'ok')
  await site.router.ready()
  await store.close()
})

test.concurrent('a visitor whose login cannot be stored is not told about being logged out', async () => {
  await using redis = await startRedis()
  await redis.kill()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)

  const { response, text } = await createBrowser().open(`${site.url}/login`)

  expect(response.status).toBe(503)
  expect(text).toContain('You cannot log in at the moment')
  expect(text).not.toContain('logged out')
  await store.close()
})

test.concurrent('while Redis is stopped nobody is logged out, and all goes on when it continues', async () => {
  await using redis = await startRedis()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const browser = await signIn(site)

  redis.process.kill('SIGSTOP')
  await expectUnavailable(site, browser, store)
  redis.process.kill('SIGCONT')

  await expectBack(site, browser, store)
  await store.close()
})

test.concurrent('a Redis that dies in the middle of requests turns them into 503, not into logins', async () => {
  await using redis = await startRedis()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const browser = await signIn(site)

  const requests = Array.from({ length: 40 }, () => status(site, browser, '/account'))
  await redis.kill()
  const statuses = await Promise.all(requests)

  expect(statuses.filter((one) => one !== 200 && one !== 503)).toEqual([])
  await expectUnavailable(site, browser, store)
  await store.close()
})

test.concurrent('after Redis came back empty, users have to log in again', async () => {
  await using redis = await startRedis()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const before = await signIn(site)

  await redis.kill()
  await expectUnavailable(site, before, store)
  await redis.restart()
  await until('Redis answers the store', () => store.ready().then(() => true))

  expect(await status(site, before, '/account')).toBe(302)
  const after = await signIn(site)
  expect(await status(site, after, '/account')).toBe(200)
  await store.close()
})

test.concurrent('a full Redis refuses logins with 503; logged-in users stay logged in, and can log out', async () => {
  await using redis = await startRedis(['maxmemory-policy noeviction'])
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const browser = await signIn(site)

  await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
  const refused = await createBrowser().open(`${site.url}/login?returnTo=/account`)

  expect(refused.response.status).toBe(503)
  expect(refused.response.headers.get('retry-after')).toBe('5')
  expect(store.health().status).toBe('refusing-writes')
  expect(await status(site, browser, '/account')).toBe(200)
  const left = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url, 'sec-fetch-site': 'same-origin' },
  })
  expect(left.status).toBeLessThan(400)
  expect(await status(site, browser, '/account')).toBe(302)

  await redis.inspect((r) => r.config('SET', 'maxmemory', '0'))
  expect(await status(site, await signIn(site), '/account')).toBe(200)
  expect(store.health().status).toBe('ok')
  await store.close()
})

test.concurrent('what cannot be saved in a full Redis is answered by the error handler of the application', async () => {
  await using redis = await startRedis(['maxmemory-policy noeviction'])
  const store = createSessionStore({ url: redis.url })
  const told: unknown[] = []
  await using site = await startSite(
    (app) => {
      app.get('/public', (_req, res) => void res.send('open to all'))
      app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
      app.get('/note', requireUser(), (req, res) => {
        Object.assign(req.session, { note: 'remember' })
        res.send('noted')
      })
      app.get('/renew', requireUser(), async (req, res) => {
        await req.auth.renewSession()
        res.send('renewed')
      })
      app.use(((error, _req, res, _next) => {
        told.push(error)
        res.status(error.status).send('not noted')
      }) satisfies ErrorRequestHandler)
    },
    { session: { store } },
  )
  const browser = await signIn(site)

  await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
  expect(await status(site, browser, '/note')).toBe(503)
  expect(await status(site, browser, '/renew')).toBe(503)
  const unavailable = { code: 'LATCHKEY_SESSION_UNAVAILABLE', status: 503 }
  expect(told).toMatchObject([unavailable, unavailable])
  expect(await status(site, browser, '/account')).toBe(200)
  await store.close()
})

test.concurrent('while a full Redis refuses the lock of a refresh, an access token is returned until it expires', async () => {
  await using redis = await startRedis(['maxmemory-policy noeviction'])
  const store = createSessionStore({ url: redis.url })
  let ahead = 0
  await using site = await startSite(
    (app) => {
      app.get('/token', requireUser(), async (req, res) => {
        res.locals.showsSecrets = true
        res.send(await req.auth.accessToken())
      })
      app.get('/public', (_req, res) => void res.send('open to all'))
    },
    { session: { store }, now: () => Math.floor(Date.now() / 1000) + ahead },
  )
  site.provider.accessTokenSeconds = 60
  const browser = await signIn(site)
  const token = async (): Promise<string> => (await browser.open(`${site.url}/token`)).text
  const first = await token()

  await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
  ahead = 50
  expect(await token()).toBe(first)
  expect(site.provider.count('/token')).toBe(1)
  ahead = 61
  expect(await status(site, browser, '/token')).toBe(503)

  await redis.inspect((r) => r.config('SET', 'maxmemory', '0'))
  expect(await token()).toMatch(/^access-/)
  expect(site.provider.count('/token')).toBe(2)
  await store.close()
})

test.concurrent('while Redis is full, requests extend no session: an active user is logged out after the idle time', async () => {
  await using redis = await startRedis(['maxmemory-policy noeviction'])
  const store = createSessionStore({ url: redis.url })
  await using site = await startSite(
    (app) => {
      app.get('/public', (_req, res) => void res.send('open to all'))
      app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
    },
    { session: { store, idleSeconds: 2 } },
  )
  const browser = await signIn(site)

  await redis.inspect((r) => r.config('SET', 'maxmemory', '1'))
  expect(await status(site, browser, '/account')).toBe(200)
  await until('the session expires', async () => (await status(site, browser, '/account')) === 302)
  await store.close()
})

test.concurrent('a Redis that became a read-only replica refuses logins with 503, until it is a master', async () => {
  await using redis = await startRedis()
  await using other = await startRedis()
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const browser = await signIn(site)

  await redis.inspect((r) => r.replicaof('127.0.0.1', other.port))
  const refused = await createBrowser().open(`${site.url}/login?returnTo=/account`)
  expect(refused.response.status).toBe(503)
  expect(refused.response.headers.get('retry-after')).toBe('5')
  expect(store.health().status).toBe('refusing-writes')
  expect(await status(site, browser, '/public')).toBe(200)
  await redis.inspect((r) => r.replicaof('NO', 'ONE'))

  await until('logins work again', async () => {
    const { response } = await createBrowser().open(`${site.url}/login?returnTo=/account`)
    return response.status === 200
  })
  expect(store.health().status).toBe('ok')
  await store.close()
})
