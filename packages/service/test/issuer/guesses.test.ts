import { afterEach, describe, expect, test, vi } from 'vitest'
import { defaultLimits } from '../../src/domain/limits/limits.ts'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { type Client, createClient } from './support/client.ts'
import {
  movesTheClock,
  type StoreKind,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

const wrong = { ...ada, password: 'a guess' }
const OFFICE = '198.51.100.7'
const HOUR = 3_600

afterEach(() => {
  vi.useRealTimers()
})

const start = (store: StoreKind, options: Parameters<typeof startIssuer>[0] = {}) =>
  startIssuer({ store, trustedProxies: ['127.0.0.1'], ...options })

/** Logs in from a network; in a new browser unless one is given. */
async function tryLogin(
  issuer: TestIssuer,
  app: Client,
  from: string,
  credentials: typeof ada,
  browser: Browser = createBrowser(issuer),
): Promise<Page> {
  browser.headers['x-forwarded-for'] = from
  const { url } = await app.begin({ prompt: 'login' })
  return browser.submit(await browser.get(url), credentials)
}

const isLoggedIn = ({ location }: Page) => location?.includes('code=') === true

async function setNewPassword(issuer: TestIssuer, password: string): Promise<void> {
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get('/reset'), { email: ada.email })
  await browser.submit(await browser.get(await issuer.lastLink()), { password })
}

describe.each(storeKinds)('on %s', (store) => {
  test('48 guesses from 8 networks within 12 hours never keep the owner out', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const outcomes: boolean[] = []
    for (let guess = 1; guess <= 48; guess++) {
      await tryLogin(issuer, app, `203.0.113.${guess % 8}`, wrong)
      if (guess % 12 === 0) outcomes.push(isLoggedIn(await tryLogin(issuer, app, OFFICE, ada)))
      moveTime(HOUR / 4)
    }
    expect(outcomes).toEqual([true, true, true, true])
  })

  test('parallel logins with the right password all succeed, after failures as well', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    for (let i = 0; i < 3; i++) await tryLogin(issuer, app, OFFICE, wrong)
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => tryLogin(issuer, app, OFFICE, ada)),
    )
    expect(pages.map(isLoggedIn)).toEqual(Array(8).fill(true))
  })

  test('of parallel guesses no more are judged than of guesses one after another', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const pages = await Promise.all(
      Array.from({ length: 8 }, () => tryLogin(issuer, app, OFFICE, wrong)),
    )
    const judged = pages.filter(({ status }) => status === 422)
    expect(judged).toHaveLength(defaultLimits.loginPerAddress.free)
    expect(pages.filter(({ status }) => status === 429)).toHaveLength(8 - judged.length)
  })

  test('a login that is answered with 503 counts as no failure', async () => {
    const passwords = createPasswordEngine({ concurrency: 1 })
    let isBusy = true
    const busy = createPasswordEngine({ concurrency: 1, maxWaiting: 0 })
    const verify: typeof passwords.verify = (...given) => {
      if (!isBusy) return passwords.verify(...given)
      busy.verify(...given).catch(() => {})
      return busy.verify(...given)
    }
    await using issuer = await start(store, { passwords: { ...passwords, verify } })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    for (let i = 0; i < 6; i++) {
      expect((await tryLogin(issuer, app, OFFICE, ada)).status).toBe(503)
    }
    isBusy = false
    expect(isLoggedIn(await tryLogin(issuer, app, OFFICE, ada))).toBe(true)
  })

  test('a known device can log in while its network has to wait', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const device = createBrowser(issuer)
    await tryLogin(issuer, app, OFFICE, ada, device)
    for (let i = 0; i < 5; i++) await tryLogin(issuer, app, OFFICE, wrong)

    expect((await tryLogin(issuer, app, OFFICE, ada)).status).toBe(429)
    device.restart()
    expect(isLoggedIn(await tryLogin(issuer, app, OFFICE, ada, device))).toBe(true)
  })

  test('guesses on a known device make only that device wait, and no other browser', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const device = createBrowser(issuer)
    await tryLogin(issuer, app, OFFICE, ada, device)
    for (let i = 0; i < 5; i++) await tryLogin(issuer, app, OFFICE, wrong, device)

    expect((await tryLogin(issuer, app, '203.0.113.1', ada, device)).status).toBe(429)
    expect(isLoggedIn(await tryLogin(issuer, app, OFFICE, ada))).toBe(true)
  })

  test('a device is known for the users who logged in on it, and for no others', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const eve = { email: 'eve@example.com', password: 'the one of eve' }
    await issuer.addUser(eve)
    const app = await createClient(issuer)
    const device = createBrowser(issuer)
    await tryLogin(issuer, app, OFFICE, eve, device)
    for (let i = 0; i < 5; i++) await tryLogin(issuer, app, OFFICE, wrong, device)
    expect((await tryLogin(issuer, app, OFFICE, ada, device)).status).toBe(429)
  })

  test('a new password ends the waits of all networks, and known devices have to log in with it', async () => {
    await using issuer = await start(store)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const device = createBrowser(issuer)
    await tryLogin(issuer, app, OFFICE, ada, device)
    const networks = [OFFICE, '203.0.113.1', '2001:db8::1']
    for (const from of networks) {
      for (let i = 0; i < 5; i++) await tryLogin(issuer, app, from, wrong)
    }
    for (let i = 0; i < 5; i++) await tryLogin(issuer, app, OFFICE, wrong, device)

    const mine = { ...ada, password: 'my own new one' }
    await setNewPassword(issuer, mine.password)
    expect(isLoggedIn(await tryLogin(issuer, app, OFFICE, mine, device))).toBe(true)
    for (const from of networks) {
      expect(isLoggedIn(await tryLogin(issuer, app, from, mine))).toBe(true)
    }
  })

  test('after a hundred failures at one address, a browser that is new there needs a mailed link', async () => {
    const loginAnywhere = { ...defaultLimits.loginAnywhere, free: 6 }
    await using issuer = await start(store, { limits: { loginAnywhere } })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const device = createBrowser(issuer)
    await tryLogin(issuer, app, OFFICE, ada, device)
    const nobody = { ...wrong, email: 'nobody@example.com' }
    for (let i = 1; i <= 6; i++) {
      expect((await tryLogin(issuer, app, `203.0.113.${i}`, wrong)).status).toBe(422)
      await tryLogin(issuer, app, `203.0.113.${i}`, nobody)
    }

    const browser = createBrowser(issuer)
    const known = await tryLogin(issuer, app, OFFICE, ada, browser)
    const unknown = await tryLogin(issuer, app, OFFICE, nobody, createBrowser(issuer))
    const neutral = ({ html }: Page) => html.replaceAll(/\/login\/[^/?]+/g, '')
    expect([known.status, neutral(known)]).toEqual([unknown.status, neutral(unknown)])
    expect(known.status).toBe(429)
    expect(known.html).toContain('Too many attempts to log in with this address have failed')
    expect(isLoggedIn(await tryLogin(issuer, app, OFFICE, ada, device))).toBe(true)
    moveTime(12 * HOUR)
    expect((await tryLogin(issuer, app, OFFICE, ada)).status).toBe(429)

    const path = /href="([^"]*\/reset[^"]*)"/.exec(known.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    vi.useRealTimers()
    await browser.submit(await browser.get(path), { email: ada.email })
    const mine = { ...ada, password: 'my own new one' }
    const form = await browser.get(await issuer.lastLink())
    await browser.submit(form, { password: mine.password })
    expect(isLoggedIn(await tryLogin(issuer, app, '203.0.113.1', mine))).toBe(true)
  })
})

test('a hundred failures in a row are the most at one address over all networks', () => {
  expect(defaultLimits.loginAnywhere.free).toBe(100)
})
