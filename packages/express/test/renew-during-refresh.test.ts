import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createMemoryStore, type SessionStore } from '@latchkey/core'
import type { AuthOptions } from '@latchkey/express'
import type { Express } from 'express'
import { describe, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { pausing } from './support/pausing.ts'
import { type Site, startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

const WAITED = 'latchkey:token.refresh_waited'

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.name}` : 'out')
  })
  app.get('/refresh', async (req, res) => {
    await req.auth.accessToken({ force: true })
    res.send('refreshed')
  })
  app.get('/refresh-user', async (req, res) => {
    await req.auth.refreshUser()
    res.send('refreshed')
  })
  app.get('/renew', async (req, res) => {
    await req.auth.renewSession()
    res.send('renewed')
  })
  app.get('/regenerate', (req, res, next) => {
    req.session.regenerate((error) => (error ? next(error) : res.send('renewed')))
  })
  app.get('/both/:first', async (req, res) => {
    const refresh = () => req.auth.accessToken({ force: true })
    const renew = () => req.auth.renewSession()
    const order = req.params.first === 'renew' ? [renew, refresh] : [refresh, renew]
    await Promise.all(order.map((one) => one()))
    res.send('both')
  })
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).send(error.code ?? String(error))
  }) as import('express').ErrorRequestHandler)
}

interface Renewal {
  readonly site: Site
  readonly browser: Browser
  /** Another window of the same browser, which keeps the cookie from before. */
  readonly beside: Browser
  /** The answers that are still to come. */
  readonly answers: Promise<unknown>[]
  readonly before: ReturnType<typeof pausing>['before']
  open(path: string): Promise<string>
}

async function logIn(
  given: SessionStore | 'cookie',
  use: (renewal: Renewal) => Promise<void>,
  options: AuthOptions = {},
): Promise<void> {
  const paused = given === 'cookie' ? undefined : pausing(given)
  await using site = await startSite(routes, {
    ...options,
    session: { store: paused?.store ?? 'cookie' },
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const beside = createBrowser()
  for (const [key, cookie] of browser.cookies) beside.cookies.set(key, { ...cookie })
  const open = async (path: string): Promise<string> => (await browser.open(site.url + path)).text
  const answers: Promise<unknown>[] = []
  await use({ site, browser, beside, answers, before: paused?.before ?? (() => {}), open })
  await Promise.all(answers)
  expect(await open('/refresh')).toBe('refreshed')
  expect(await open('/')).toMatch(/^in as /)
  const spent = site.provider.requests.flatMap(({ body }) => body.get('refresh_token') ?? [])
  expect(new Set(spent).size).toBe(spent.length)
}

/** Starts a refresh, and resolves once it is done or waits for another request. */
async function refreshBeside({ site, beside, answers }: Renewal): Promise<void> {
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  subscribe(WAITED, over)
  answers.push(beside.open(`${site.url}/refresh`).finally(over))
  await expect.poll(() => isOver).toBe(true)
  unsubscribe(WAITED, over)
}

const withoutLock = (): SessionStore => {
  const { lock: _lock, ...store } = createMemoryStore()
  return store
}

const OPENED = [
  ...STORES.map((name) => [name, () => openStore(name)] as const),
  ['without a lock', async () => ({ store: withoutLock(), close: async () => {} })] as const,
] as const

describe.each(OPENED)('on the store %s', (_name, openStore) => {
  test.each(['/renew', '/regenerate'])(
    'a session that gets a new id by %s while its tokens are refreshed has the new tokens',
    async (path) => {
      const { store, close } = await openStore()
      await logIn(store, async ({ site, beside, open }) => {
        site.provider.fault = 'token: delayed'
        const refreshing = beside.open(`${site.url}/refresh`)
        await expect.poll(() => site.provider.count('/token')).toBe(2)
        const renewing = open(path)
        await open('/')
        site.provider.release()

        expect((await refreshing).text).toBe('refreshed')
        expect(await renewing).toBe('renewed')
      })
      await close()
    },
  )

  test.each([
    ['reads', 'get', 2],
    ['stores', 'set', 1],
    ['destroys', 'destroy', 1],
  ] as const)(
    'a refresh that begins before a renewal %s the session spends no token of the new session',
    async (_what, method, calls) => {
      const { store, close } = await openStore()
      await logIn(store, async (renewal) => {
        renewal.before(method, calls, () => refreshBeside(renewal))

        expect(await renewal.open('/renew')).toBe('renewed')
      })
      await close()
    },
  )

  test.each(['renew', 'refresh'])(
    'a request that renews its session and refreshes its tokens at the same time keeps both, %s first',
    async (first) => {
      const { store, close } = await openStore()
      await logIn(store, async ({ open }) => {
        expect(await open(`/both/${first}`)).toBe('both')
      })
      await close()
    },
  )

  test('a user who is read again while the session is renewed is in the new session', async () => {
    const { store, close } = await openStore()
    await logIn(store, async ({ site, beside, before, open }) => {
      before('set', 1, async () => {
        site.provider.user = { sub: 'ada', name: 'Countess' }
        expect((await beside.open(`${site.url}/refresh-user`)).text).toBe('refreshed')
      })

      expect(await open('/renew')).toBe('renewed')
      expect(await open('/')).toBe('in as Countess')
    })
    await close()
  })
})

test.each(STORES)(
  'a renewal waits for a refresh of another process, on the store %s',
  async (name) => {
    const { store, close } = await openStore(name)
    await logIn(store, async ({ site, browser }) => {
      const { issuer } = site.provider
      await using other = await startSite(routes, { issuer, baseUrl: site.url, session: { store } })
      const elsewhere = createBrowser({ [site.url]: other.url })
      for (const [key, cookie] of browser.cookies) elsewhere.cookies.set(key, { ...cookie })
      site.provider.fault = 'token: delayed'
      const refreshing = browser.open(`${site.url}/refresh`)
      await expect.poll(() => site.provider.count('/token')).toBe(2)
      const renewing = elsewhere.open(`${site.url}/renew`)
      await elsewhere.open(`${site.url}/`)
      site.provider.release()

      expect((await refreshing).text).toBe('refreshed')
      expect((await renewing).text).toBe('renewed')
      for (const [key, cookie] of elsewhere.cookies) browser.cookies.set(key, { ...cookie })
    })
    await close()
  },
)

test('a session in the cookie that is renewed while its tokens are refreshed has the new tokens', async () => {
  await logIn('cookie', async ({ site, beside, open }) => {
    site.provider.fault = 'token: delayed'
    const refreshing = beside.open(`${site.url}/refresh`)
    await expect.poll(() => site.provider.count('/token')).toBe(2)
    const renewing = open('/renew')
    await open('/')
    site.provider.release()

    expect((await refreshing).text).toBe('refreshed')
    expect(await renewing).toBe('renewed')
  })
})
