import { createMemoryStore } from '@latchkey/core'
import { type AuthOptions, requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

function start(options: AuthOptions = {}): Promise<Site> {
  return startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? 'in' : 'out')
      })
      app.get('/private', requireUser({ respond: 'redirect' }), (_req, res) => {
        res.send('private')
      })
    },
    { timeoutSeconds: 1, ...options },
  )
}

const discoveryPath = '/.well-known/openid-configuration'

test('an application starts while its provider is down, and logs in once it is up', async () => {
  await using site = await start()
  await site.provider.stop()
  const browser = createBrowser()

  expect((await browser.open(site.url)).text).toBe('out')
  const turnedAway = await browser.open(`${site.url}/private`)
  expect(turnedAway.response.status).toBe(503)
  expect(turnedAway.response.headers.get('retry-after')).toBe('5')
  expect(turnedAway.text).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')

  await site.provider.start()
  expect((await browser.open(`${site.url}/private`)).text).toBe('private')
})

test('a logged-in user is not affected when the provider goes down', async () => {
  await using site = await start()
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await site.provider.stop()

  expect((await browser.open(`${site.url}/private`)).text).toBe('private')
})

test('after a restart while the provider is down, users stay logged in and can log out', async () => {
  const store = createMemoryStore()
  await using before = await start({ session: { store } })
  const browser = createBrowser()
  await browser.open(`${before.url}/login`)
  const { issuer } = before.provider
  await using after = await start({ issuer, baseUrl: before.url, session: { store } })
  const later = createBrowser({ [before.url]: after.url })
  for (const [key, cookie] of browser.cookies) later.cookies.set(key, cookie)
  await before.provider.stop()

  expect((await later.open(`${before.url}/private`)).text).toBe('private')
  const headers = { origin: before.url }
  const left = await later.send(`${before.url}/logout`, { method: 'POST', headers })

  expect(left.status).toBe(303)
  expect((await browser.open(before.url)).text).toBe('out')
})

test('many visitors at once ask the provider for its configuration once', async () => {
  await using site = await start()

  const visits = await Promise.all(
    Array.from({ length: 20 }, () => createBrowser().send(`${site.url}/login`)),
  )

  expect(new Set(visits.map((visit) => visit.status))).toEqual(new Set([302]))
  expect(site.provider.count(discoveryPath)).toBe(1)
})

test('cached metadata of the provider are used while it is down, and fetched again when it is back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await start()
    await createBrowser().open(`${site.url}/login`)
    expect(site.router.health()).toMatchObject({ provider: 'ok' })
    site.provider.fault = 'discovery: server error'
    vi.setSystemTime(Date.now() + 3700_000)

    const during = await createBrowser().send(`${site.url}/login`)
    expect(during.status).toBe(302)
    await expect.poll(() => site.router.health().provider).toBe('stale')

    site.provider.fault = undefined
    vi.setSystemTime(Date.now() + 31_000)
    await createBrowser().send(`${site.url}/login`)
    await expect.poll(() => site.router.health().provider).toBe('ok')
  } finally {
    vi.useRealTimers()
  }
})

test('a provider that stays down does not get a request for every login', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await start()
    await createBrowser().open(`${site.url}/login`)
    site.provider.fault = 'discovery: server error'
    vi.setSystemTime(Date.now() + 3700_000)
    await createBrowser().send(`${site.url}/login`)
    await expect.poll(() => site.router.health().provider).toBe('stale')
    const asked = site.provider.count(discoveryPath)

    for (let i = 0; i < 10; i++) await createBrowser().send(`${site.url}/login`)

    expect(site.provider.count(discoveryPath)).toBe(asked)
  } finally {
    vi.useRealTimers()
  }
})

test('ready() says whether the provider is reachable, and health() says it without a request', async () => {
  await using site = await start({ session: { store: createMemoryStore() } })
  expect(site.router.health()).toEqual({
    provider: 'unknown',
    discoveredAt: undefined,
    sessions: 'unknown',
  })
  await site.provider.stop()
  await expect(site.router.ready()).rejects.toMatchObject({ code: 'LATCHKEY_PROVIDER_UNAVAILABLE' })
  expect(site.router.health().provider).toBe('unavailable')

  await site.provider.start()
  await site.router.ready()

  expect(site.router.health().provider).toBe('ok')
})

test.each<[Fault, string]>([
  ['discovery: down', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: hanging', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: dripping', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: huge', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: truncated', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: server error', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['discovery: redirecting', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery: html', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery: empty', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery is an array', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery names another issuer', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery without token_endpoint', 'LATCHKEY_PROVIDER_INVALID'],
  ['discovery without jwks_uri', 'LATCHKEY_PROVIDER_INVALID'],
])('%s: nobody is sent away, and the page says %s', async (fault, code) => {
  await using site = await start()
  site.provider.fault = fault

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.trail).toHaveLength(1)
  expect(visit.text).toContain(code)
  site.provider.fault = undefined
  expect((await createBrowser().open(`${site.url}/private`)).text).toBe('private')
})

test.each<[Fault, string]>([
  ['jwks: down', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: hanging', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: dripping', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: huge', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: truncated', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: server error', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['jwks: redirecting', 'LATCHKEY_PROVIDER_INVALID'],
  ['jwks: html', 'LATCHKEY_PROVIDER_INVALID'],
  ['jwks: empty', 'LATCHKEY_PROVIDER_INVALID'],
  ['jwks without keys', 'LATCHKEY_PROVIDER_INVALID'],
  ['jwks empty', 'LATCHKEY_TOKEN_INVALID'],
  ['jwks of other keys', 'LATCHKEY_TOKEN_INVALID'],
  ['jwks with a broken key', 'LATCHKEY_TOKEN_INVALID'],
])('%s: no user is logged in, and the page says %s', async (fault, code) => {
  await using site = await start()
  site.provider.fault = fault
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login`)

  expect(visit.text).toContain(code)
  expect((await browser.open(site.url)).text).toBe('out')
})

test.each<Fault>(['jwks: down', 'jwks: html', 'jwks without keys'])(
  '%s: keys that are known already go on being used',
  async (fault) => {
    await using site = await start()
    await createBrowser().open(`${site.url}/login`)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(Date.now() + 400_000)
      site.provider.fault = fault

      expect((await createBrowser().open(`${site.url}/private`)).text).toBe('private')
    } finally {
      vi.useRealTimers()
    }
  },
)

test('a key rotated seconds after a login costs the next login nothing', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    await using site = await start()
    await createBrowser().open(`${site.url}/login`)
    site.provider.rotateKey()
    vi.setSystemTime(Date.now() + 6000)
    const redeemed = site.provider.count('/token')

    const visit = await createBrowser().open(`${site.url}/private`)

    expect(visit.text).toBe('private')
    expect(site.provider.count('/token')).toBe(redeemed + 1)
    expect((await createBrowser().open(`${site.url}/private`)).text).toBe('private')
  } finally {
    vi.useRealTimers()
  }
})
