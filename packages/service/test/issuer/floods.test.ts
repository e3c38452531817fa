import { describe, expect, test } from 'vitest'
import type { RequestLimits } from '../../src/issuer/requests/request-limits.ts'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { type StoreKind, startIssuer, storeKinds } from './support/issuer.ts'

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

  test('a state of 2 kB goes through', async () => {
    await using issuer = await start(store)
    const { url } = await (await createClient(issuer)).begin({ state: 'x'.repeat(2_048) })
    expect((await createBrowser(issuer).peek(url)).location).toContain('/login/')
  })

  test('one network begins so many logins a minute, and no other network has to wait', async () => {
    await using issuer = await start(store, { loginsPerMinute: 2 })
    const networks = ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2']
    expect(await beginLogins(issuer, networks)).toEqual([
      'login',
      'login',
      'temporarily_unavailable',
      'login',
    ])
  })

  test('all networks together begin so many logins an hour', async () => {
    await using issuer = await start(store, { loginsPerHour: 2 })
    const networks = ['203.0.113.1', '203.0.113.2', '203.0.113.3']
    expect(await beginLogins(issuer, networks)).toEqual([
      'login',
      'login',
      'temporarily_unavailable',
    ])
  })
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
