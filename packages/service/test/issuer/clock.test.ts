import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import { describe, expect, test, vi } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { createBrowser } from './support/browser.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

const issuer = 'https://login.acme.test'
const redirectUri = 'https://shop.acme.test/callback'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** A service whose clock a test turns, with a user who can log in at an application. */
async function startWithClock(store: (typeof storeKinds)[number]) {
  const clock = { millis: Date.now(), now: () => clock.millis }
  const data = store === 'sqlite' ? mkdtempSync(join(tmpdir(), 'latchkey-clock-')) : undefined
  const service = await createIdentityService({ clock, data })
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: 'login.acme.test', remember_login_seconds: 86_400 },
        applications: [{ name: 'Shop', redirect_urls: [redirectUri] }],
        users: [
          {
            profile: { email: ada.email, email_verified: true },
            password: { alg: 'plain', hash: ada.password },
          },
        ],
      },
    ],
  })
  const [tenant] = await service.admin.listTenants()
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const path = `${issuer}/v1/tenants/${tenant?.id}/applications`
  const listed = await service.fetch(path, { headers: { authorization: `Bearer ${key}` } })
  const [application] = ((await listed.json()) as { data: { id: string; secret: string }[] }).data
  const { id = '', secret = '' } = application ?? {}
  const config = await client.discovery(new URL(issuer), id, secret, undefined, {
    [client.customFetch]: service.fetch as client.CustomFetch,
  })
  config[client.customFetch] = service.fetch as client.CustomFetch
  const openBrowser = () => createBrowser({ url: issuer, fetch: service.fetch as never })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const loginUrl = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  return {
    browser: openBrowser(),
    openBrowser,
    loginUrl: loginUrl.href,
    redeem: (location = '') =>
      client.authorizationCodeGrant(config, new URL(location), { pkceCodeVerifier }),
    mails: () => service.outbox.list(tenant?.id ?? ''),
    pass: (seconds: number) => {
      clock.millis += seconds * 1_000
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      if (data) rmSync(data, { recursive: true })
    },
  }
}

describe.each(storeKinds)('with a clock of its own on %s', (store) => {
  test('a session ends when the clock says so, and no earlier', async () => {
    await using service = await startWithClock(store)
    const { browser, loginUrl, pass } = service
    await browser.submit(await browser.get(loginUrl), ada)
    pass(86_000)
    expect((await browser.get(loginUrl)).location).toContain('code=')
    pass(400)
    expect((await browser.get(loginUrl)).html).toContain('name="password"')
    const again = await browser.submit(await browser.get(loginUrl), ada)
    expect((await service.redeem(again.location)).claims()?.email).toBe(ada.email)
    pass(86_401)
    expect((await browser.get(loginUrl)).html).toContain('name="password"')
  })

  test('a login that begins a day ahead lives for its hour, also after a wrong password', async () => {
    await using service = await startWithClock(store)
    const { browser, loginUrl, pass } = service
    pass(86_000)
    const page = await browser.get(loginUrl)
    const wrong = await browser.submit(page, { ...ada, password: 'not the one of Ada' })
    pass(3_000)
    const done = await browser.submit(wrong, ada)
    expect((await service.redeem(done.location)).claims()?.email).toBe(ada.email)
    pass(86_401)
    const { url } = await browser.get(loginUrl)
    pass(3_601)
    expect((await browser.get(url)).html).toContain('has expired')
  })

  test('"max_age" follows the clock', async () => {
    await using service = await startWithClock(store)
    const { browser, loginUrl, pass } = service
    await browser.submit(await browser.get(loginUrl), ada)
    pass(100)
    expect((await browser.get(`${loginUrl}&max_age=200`)).location).toContain('code=')
    expect((await browser.get(`${loginUrl}&max_age=60`)).html).toContain('name="password"')
    pass(-100)
    expect((await browser.get(`${loginUrl}&max_age=60`)).location).toContain('code=')
  })

  test('codes, links in mail and waits between guesses follow the clock', async () => {
    await using service = await startWithClock(store)
    const { browser, loginUrl, pass } = service
    const callback = await browser.submit(await browser.get(loginUrl), ada)
    pass(61)
    await expect(service.redeem(callback.location)).rejects.toMatchObject({
      error: 'invalid_grant',
    })

    await browser.submit(await browser.get('/reset'), { email: ada.email })
    const link = (await service.mails())[0]?.link ?? ''
    pass(3_599)
    expect((await browser.get(link)).status).toBe(200)
    pass(1)
    expect((await browser.get(link)).status).toBe(410)

    const other = service.openBrowser()
    const form = await other.get(loginUrl)
    const guess = { email: 'eve@example.com', password: 'wrong' }
    for (let i = 0; i < 5; i++) await other.submit(form, guess)
    expect((await other.submit(form, guess)).status).toBe(429)
    pass(2)
    expect((await other.submit(form, guess)).status).toBe(422)
  })
})

test('after a day ahead and back, a user who has mistyped meanwhile logs in, and a code of before is good', async () => {
  await using service = await startWithClock('memory')
  const { browser, openBrowser, loginUrl, pass } = service
  const callback = await browser.submit(await browser.get(loginUrl), ada)
  pass(86_400)
  const other = openBrowser()
  const form = await other.get(loginUrl)
  expect((await other.submit(form, { ...ada, password: 'wrong' })).status).toBe(422)
  pass(-86_400)
  const again = openBrowser()
  const done = await again.submit(await again.get(loginUrl), ada)
  expect(done.location).toContain('code=')
  expect((await service.redeem(callback.location)).claims()?.email).toBe(ada.email)
  expect((await service.redeem(done.location)).claims()?.email).toBe(ada.email)
})

test('all expired entries are removed, even very many', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let removed = 0
  await using issuerOfMany = await startIssuer({
    store: 'sqlite',
    wrap: (protocol) => ({
      ...protocol,
      async prune() {
        const count = await protocol.prune()
        removed += count
        return count
      },
    }),
  })
  const entry = { tenantId: 'ten_1', kind: 'Session', payload: '{}', expiresAt: 1 }
  await Promise.all(
    Array.from({ length: 4_500 }, (_, n) => issuerOfMany.protocol.put({ ...entry, key: `${n}` })),
  )
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  await vi.waitFor(() => expect(removed).toBe(4_500))
})
