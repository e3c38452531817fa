import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Limits } from '../../src/domain/limits/limits.ts'
import { deleteCredential } from '../../src/domain/users/credentials.ts'
import { createBrowser } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, codeOf, hasCode, MFA, seedOn, startWithFactors, wrong } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const free = { free: 1e6, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }

describe.each(allStoreKinds)('on %s', (store) => {
  test('after a hundred wrong codes in a row the second step is paused until an API key deletes the factor and another one is added', async () => {
    const limits: Partial<Limits> = { factorPerUser: free, factorPerLogin: free }
    const { issuer, user, app } = await startWithFactors({ store, limits })
    await using _ = issuer
    const { seed, codes } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    for (let guess = 0; guess < 100; guess++) {
      const page = await browser.submitOnly(callback, { code: wrong(codeOf(seed)) })
      expect(page.status).toBe(422)
    }

    const owner = await logIn(issuer, app, ada)
    const form = await owner.browser.get(`${owner.callback.url}&kind=recovery_codes`)
    for (const page of [
      await owner.browser.submit(owner.callback, { code: codeOf(seed) }),
      await owner.browser.submit(form, { code: codes[0] ?? '' }),
    ]) {
      expect(page.status).toBe(429)
      expect(page.html).toContain('Too many wrong codes')
    }
    expect(await issuer.actions()).toContain('limit.factor_anywhere')
    await deleteCredential(issuer.scope, user.id, 'totp_app', Date.now() * 1_000)

    const again = await logIn(issuer, app, ada, undefined, { acr_values: MFA })
    const added = seedOn(again.callback)
    await again.browser.submit(again.callback, { code: codeOf(added) })
    moveTime(30)
    const next = await logIn(issuer, app, ada)
    expect(hasCode(await next.browser.submit(next.callback, { code: codeOf(added) }))).toBe(true)
  })

  test('of two hundred parallel codes over many logins, no more are verified than of guesses one after another', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const logins = await Promise.all(Array.from({ length: 8 }, () => logIn(issuer, app, ada)))
    const code = wrong(codeOf(seed))

    const pages = await Promise.all(
      logins.flatMap(({ browser, callback }) =>
        Array.from({ length: 25 }, () => browser.submitOnly(callback, { code })),
      ),
    )

    const judged = pages.filter(({ status }) => status === 422).length
    expect(judged).toBeGreaterThan(0)
    expect(judged).toBeLessThanOrEqual(10)
    expect(pages.every(({ status }) => status < 500)).toBe(true)
  })
})

const headers = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-authentik-remote-ip',
]

test('no header that a client sends changes whose guesses are counted, or the address in the audit log', async () => {
  const limits = {
    loginPerClient: { ...free, free: headers.length, baseSeconds: 600, maxSeconds: 600 },
  }
  const { issuer, user, app } = await startWithFactors({ limits })
  await using _ = issuer
  const { seed } = await addApp(issuer, user)

  /** A browser behind no proxy that says it is somewhere else. */
  const elsewhere = (header: string, n: number) => {
    const browser = createBrowser(issuer)
    const address = `203.0.113.${n}`
    browser.headers[header] = header === 'forwarded' ? `for=${address}` : address
    return browser
  }
  for (const [n, header] of headers.entries()) {
    const { browser, callback } = await logIn(issuer, app, ada, elsewhere(header, n))
    expect((await browser.submit(callback, { code: wrong(codeOf(seed)) })).status).toBe(422)
  }
  const statuses: number[] = []
  for (const [n, header] of [...headers, 'x-forwarded-for'].entries()) {
    const stranger = { email: `user-${n}@example.com`, password: 'wrong' }
    const { callback } = await logIn(issuer, app, stranger, elsewhere(header, n))
    statuses.push(callback.status)
  }

  expect(statuses).toEqual([...headers.map(() => 422), 429])
  const addresses = (await issuer.audit()).flatMap(({ address }) => address ?? [])
  expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
})
