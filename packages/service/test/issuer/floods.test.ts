import { afterEach, describe, expect, test, vi } from 'vitest'
import type { RequestLimits } from '../../src/issuer/requests/request-limits.ts'
import type { ProtocolEntry } from '../../src/store/protocol-store.ts'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { createDevice } from './support/devices.ts'
import {
  applicationUrl,
  movesTheClock,
  type StoreKind,
  startIssuer,
  storeKinds,
} from './support/issuer.ts'
import { answerOf, startWithProvider } from './support/social.ts'
import { moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const start = (store: StoreKind, requestLimits: Partial<RequestLimits> = {}) =>
  startIssuer({ store, requestLimits, trustedProxies: ['127.0.0.1'] })

/** Begins logins one after another, each from a network of its own unless one is given. */
async function beginLogins(issuer: Awaited<ReturnType<typeof start>>, networks: string[]) {
  const app = await createClient(issuer)
  const outcomes: string[] = []
  for (const from of networks) {
    const browser = createBrowser(issuer)
    browser.headers['x-forwarded-for'] = from
    const { location } = await browser.peek((await app.begin()).url)
    const { pathname, searchParams } = new URL(location ?? '', issuer.url)
    outcomes.push(searchParams.get('error') ?? pathname.replace(/\/login\/.*/, 'login'))
  }
  return outcomes
}

describe.each(storeKinds)('on %s', (store) => {
  test.each([
    ['a state', { state: 'x'.repeat(2_049) }, '&quot;state&quot; has 2049 bytes'],
    ['a nonce', { nonce: 'ä'.repeat(1_025) }, '&quot;nonce&quot; has 2050 bytes'],
    ['a request', { login_hint: 'x'.repeat(8_000) }, 'at most 8192 are accepted'],
  ])('%s that is too long is refused on a page, and nothing is stored', async (_, given, text) => {
    await using issuer = await start(store)
    const { url } = await (await createClient(issuer)).begin()
    const long = new URL(url)
    for (const [name, value] of Object.entries(given)) long.searchParams.set(name, value)

    const answer = await createBrowser(issuer).peek(long.href)
    expect(answer.status).toBe(400)
    expect(answer.html.replaceAll(/&#34;|"/g, '&quot;')).toContain(text)
    expect(await issuer.dumpProtocol()).not.toContain('Interaction')
  })

  test.each([
    ['a state', { state: 'ä'.repeat(1_025) }, '&quot;state&quot; has 2050 bytes'],
    ['a request', { logout_hint: 'x'.repeat(9_000) }, 'at most 8192 are accepted'],
  ])(
    '%s of a logout that is too long is refused on a page, and nothing is stored',
    async (_, given, text) => {
      await using issuer = await start(store)
      const url = new URL(`${issuer.url}/oidc/logout?client_id=${issuer.application.id}`)
      const long = new URL(url)
      for (const [name, value] of Object.entries(given)) long.searchParams.set(name, value)

      const answer = await createBrowser(issuer).peek(long.href)
      expect(answer.status).toBe(400)
      expect(answer.html.replaceAll(/&#34;|"/g, '&quot;')).toContain(text)
      expect(await issuer.dumpProtocol()).not.toContain('Session')

      url.searchParams.set('state', 'x'.repeat(2_048))
      // An ID token may be long, and is not stored.
      url.searchParams.set('id_token_hint', `${'y'.repeat(9_000)}.e30.`)
      expect((await createBrowser(issuer).peek(url.href)).html).not.toContain('are accepted')
      url.searchParams.delete('id_token_hint')
      url.searchParams.set('post_logout_redirect_uri', `${applicationUrl}/logged-out`)
      const { location } = await createBrowser(issuer).peek(url.href)
      expect(location).toBe(`${applicationUrl}/logged-out?state=${'x'.repeat(2_048)}`)
    },
  )

  test.each(['ui_locales', 'login_hint', 'acr_values'])(
    'a device that sends a long "%s" is refused, and nothing is stored',
    async (name) => {
      await using issuer = await start(store)
      const device = await createDevice(issuer)
      const ask = async (value: string) => {
        const client = { client_id: device.application.id, scope: 'openid' }
        const body = new URLSearchParams({ ...client, [name]: value })
        const response = await issuer.fetch(`${issuer.url}/oidc/device`, { method: 'POST', body })
        return [response.status, await response.json()]
      }
      const [status, body] = await ask('ä'.repeat(4_096))
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'invalid_request' })
      expect(await issuer.dumpProtocol()).not.toContain('DeviceCode')
      const [accepted] = await ask('x'.repeat(7_000))
      expect(accepted).toBe(200)
    },
  )

  test.each([
    ['logs out', 'GET', '/oidc/logout'],
    ['confirms a logout', 'POST', '/oidc/logout/confirm'],
    ['begins a login that is refused', 'GET', '/oidc/auth'],
    ['continues an unknown login', 'GET', '/oidc/auth/unknown'],
    ['enters the code of a device', 'POST', '/device'],
    ['continues an unknown login of a device', 'GET', '/device/unknown'],
  ])(
    'a visitor without a session who %s stores none, also with an unknown cookie',
    async (_, method, path) => {
      await using issuer = await start(store)
      const ask = (cookie: string) =>
        issuer.fetch(`${issuer.url}${path}`, {
          method,
          headers: { accept: 'text/html', cookie },
          redirect: 'manual',
        })
      for (const cookie of ['', 'latchkey-session=unknown']) {
        expect((await ask(cookie)).status).toBeLessThan(500)
      }
      expect(await issuer.dumpProtocol()).not.toContain('Session')
    },
  )

  test('a code in the address of the page for devices is not stored', async () => {
    await using issuer = await start(store)
    const code = 'C'.repeat(9_000)
    const query = `user_code=${code}&state=${code}&ui_locales=${code}`.slice(0, 15_000)
    expect((await createBrowser(issuer).peek(`${issuer.url}/device?${query}`)).status).toBe(200)
    expect(await issuer.dumpProtocol()).not.toContain('CCCC')
  })

  test('a state of 2 kB goes through', async () => {
    await using issuer = await start(store)
    const { url } = await (await createClient(issuer)).begin({ state: 'x'.repeat(2_048) })
    expect((await createBrowser(issuer).peek(url)).location).toContain('/login/')
  })

  const why = 'each process counts for itself, so that it is protected while Redis is gone'

  test('one network begins so many logins a minute, and no other network has to wait', async ({
    skip,
  }) => {
    skip(store === 'cluster', why)
    await using issuer = await start(store, { loginsPerMinute: 2 })
    const networks = ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2']
    expect(await beginLogins(issuer, networks)).toEqual([
      'login',
      'login',
      'temporarily_unavailable',
      'login',
    ])
  })

  test('one network pushes so many requests a minute for a client without a secret, and none that is refused is stored', async ({
    skip,
  }) => {
    skip(store === 'cluster', why)
    await using issuer = await start(store, { loginsPerMinute: 2 })
    const { id } = await issuer.addApplication({ metadata: { latchkey_client: 'public' } })
    const app = await createClient(issuer)
    const push = async (from: string, state: string) => {
      const begun = new URL((await app.begin({ state })).url).searchParams
      begun.set('client_id', id)
      const response = await issuer.fetch(`${issuer.url}/oidc/par`, {
        method: 'POST',
        headers: { 'x-forwarded-for': from },
        body: begun,
      })
      const { error } = (await response.json()) as { error?: string }
      return error ?? response.status
    }
    expect(await push('203.0.113.1', 'one')).toBe(201)
    expect(await push('203.0.113.1', 'two')).toBe(201)
    const stored = async () =>
      (await issuer.dumpProtocol()).match(/PushedAuthorizationRequest/g)?.length
    const before = await stored()
    expect(await push('203.0.113.1', 'three')).toBe('temporarily_unavailable')
    expect(await stored()).toBe(before)
    expect(await push('203.0.113.2', 'four')).toBe(201)
    expect(await stored()).not.toBe(before)
  })

  test.each(['/oidc/par', '/oidc/device'])(
    'a program whose network begins too many logins at %s is told how long to wait',
    async (path) => {
      await using issuer = await start('memory', { loginsPerMinute: 1 })
      const metadata = { latchkey_client: 'public', latchkey_device_login: 'allowed' }
      const { id } = await issuer.addApplication({ metadata })
      const { searchParams: body } = new URL((await (await createClient(issuer)).begin()).url)
      body.set('client_id', id)
      const headers = { 'x-forwarded-for': '203.0.113.1' }
      const ask = () => issuer.fetch(`${issuer.url}${path}`, { method: 'POST', headers, body })
      expect((await ask()).ok).toBe(true)
      const refused = await ask()
      expect([refused.status, await refused.json()]).toEqual([
        429,
        expect.objectContaining({ error: 'temporarily_unavailable' }),
      ])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    },
  )

  test('a network whose logins at a provider fail has to wait, and the provider is not asked', async () => {
    const limits = {
      loginPerClient: { free: 2, baseSeconds: 60, maxSeconds: 60, forgetSeconds: 3_600 },
    }
    await using world = await startWithProvider({ store, limits, trustedProxies: ['127.0.0.1'] })
    const { provider, connection, issuer } = world
    const { browser, form } = await world.open()
    const start = async () =>
      answerOf(await browser.submitOnly(form, { connection: connection.id }))
    const returnTo = async (answer: string, code?: string) => {
      const url = new URL(answer)
      if (code !== undefined) url.searchParams.set('code', code)
      return browser.peek(url.href)
    }
    const answers = [await start(), await start(), await start()]
    for (const answer of answers.slice(0, 2)) {
      expect((await returnTo(answer, 'garbage')).location).toContain('problem=failed')
    }
    const asked = provider.count('/token')

    const response = await issuer.fetch(answers[2] ?? '', {
      headers: {
        cookie: browser
          .cookies()
          .map(({ name, value }) => `${name}=${value}`)
          .join('; '),
      },
      redirect: 'manual',
    })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(provider.count('/token')).toBe(asked)

    moveTime(61)
    expect((await returnTo(answers[2] ?? '')).location).not.toContain('problem=')
    expect(provider.count('/token')).toBe(asked + 1)
  })

  test('a provider that does not answer, and a page that is loaded again, count as no failed login', async () => {
    const limits = {
      loginPerClient: { free: 1, baseSeconds: 60, maxSeconds: 60, forgetSeconds: 3_600 },
    }
    await using world = await startWithProvider({ store, limits })
    const { provider, connection } = world
    const { browser, form } = await world.open()
    const start = async () =>
      answerOf(await browser.submitOnly(form, { connection: connection.id }))
    provider.fault = 'token: server error'
    const answer = await start()
    for (let n = 0; n < 3; n++) {
      expect((await browser.peek(await start())).location).toContain('problem=unreachable')
    }
    expect((await browser.peek(answer)).location).toContain('problem=unreachable')
    for (let n = 0; n < 3; n++) expect((await browser.peek(answer)).status).toBe(400)
    provider.fault = undefined
    expect((await browser.peek(await start())).location).not.toContain('problem=')
  })

  test('of the starts at a provider in one login, the ten latest are stored, and each of them can return', async () => {
    await using world = await startWithProvider({ store })
    const { connection } = world
    const { browser, form } = await world.open()
    const answers: string[] = []
    for (let n = 0; n < 12; n++) {
      answers.push(await answerOf(await browser.submitOnly(form, { connection: connection.id })))
    }
    const returned = await Promise.all(answers.map((answer) => browser.peek(answer)))
    expect(returned.map(({ status }) => status)).toEqual([400, 400, ...Array(10).fill(303)])
  })

  test('of more unfinished logins than are kept, the oldest ends, and new ones begin', async ({
    skip,
  }) => {
    skip(store === 'cluster', why)
    await using issuer = await start(store, { unfinishedLogins: 2 })
    const app = await createClient(issuer)
    const browsers = [1, 2, 3].map(() => createBrowser(issuer))
    const begun: string[] = []
    for (const browser of browsers) {
      const { location } = await browser.peek((await app.begin()).url)
      begun.push(location ?? '')
    }
    const pages = await Promise.all(browsers.map((browser, n) => browser.get(begun[n] ?? '')))
    const isOpen = pages.map(({ html }) => html.includes('name="password"'))
    expect(isOpen).toEqual([false, true, true])
  })

  test('a login takes little space, and lasts 5 minutes unless its page is opened', async () => {
    const written: ProtocolEntry[] = []
    await using issuer = await startIssuer({
      store,
      wrap: (inner) => ({
        ...inner,
        write: (changes) => {
          const put = changes.flatMap((one) => (one.kind === 'put' ? [one.entry] : []))
          written.push(...put.filter(({ kind }) => kind === 'Interaction'))
          return inner.write(changes)
        },
      }),
    })
    const app = await createClient(issuer)
    const long = {
      state: 'x'.repeat(2_048),
      nonce: 'y'.repeat(2_048),
      login_hint: 'z'.repeat(3_000),
    }
    const [first, second] = [createBrowser(issuer), createBrowser(issuer)]
    const abandoned = await first.peek((await app.begin(long)).url)
    const opened = await second.get((await app.begin()).url)
    expect(Math.max(...written.map(({ payload }) => payload.length))).toBeLessThan(9_000)

    moveTime(301)
    expect((await first.get(abandoned.location ?? '')).html).toContain('has expired')
    expect((await second.get(opened.url)).html).toContain('name="password"')
    // Redis removes what has expired by its own clock.
    if (store !== 'cluster') {
      while ((await issuer.protocol.prune()) > 0);
      vi.useRealTimers()
      expect((await first.get(abandoned.location ?? '')).html).toContain('has expired')
    }

    vi.useRealTimers()
    moveTime(3_500)
    expect((await second.get(opened.url)).html).toContain('name="password"')
    // A program that keeps its cookies, and opens the page again and again, does not keep the login.
    const cookie = second.cookies().map(({ name, value }) => `${name}=${value}`)
    moveTime(401)
    const headers = { accept: 'text/html', cookie: cookie.join('; ') }
    const late = await issuer.fetch(opened.url, { headers })
    expect(await late.text()).toContain('has expired')
    expect((await second.get(opened.url)).html).toContain('has expired')
  })

  test.each(['/oidc/AUTH', '/oidc/auth/', '/Oidc/auth', '/oidc/aUth/'])(
    'no login begins at %s, where no limit would hold',
    async (path) => {
      await using issuer = await start(store)
      const { url } = await (await createClient(issuer)).begin()
      const other = new URL(url)
      other.pathname = path
      other.searchParams.set('state', 'x'.repeat(4_000))
      expect((await createBrowser(issuer).peek(other.href)).status).toBe(404)
      expect(await issuer.dumpProtocol()).not.toContain('Interaction')
    },
  )
})

test('one network sends so many requests a second to the protocol, and is told to wait', async () => {
  await using issuer = await start('memory', { protocolPerSecond: 1 })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => issuer.fetch(`${issuer.url}/oidc/jwks`)),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
})
