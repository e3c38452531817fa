import { afterEach, describe, expect, test, vi } from 'vitest'
import { findUser } from '../../src/domain/users/users.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, codeOf, mailedCode, startWithFactors, wrong } from './support/factors.ts'
import { allStoreKinds, movesTheClock, storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

afterEach(() => {
  vi.useRealTimers()
})

/** Opens a page of the account in a browser that logs in for it. */
async function open(
  issuer: TestIssuer,
  path: string,
  credentials: { email: string; password: string } = ada,
): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser(issuer)
  return { browser, page: await browser.submit(await browser.get(path), credentials) }
}

const titleOf = ({ html }: Page): string => /<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? ''

/** What the page says in its note, or at a field. */
const noteOf = ({ html }: Page): string =>
  /class="(?:note [^"]*|problem)"[^>]*>([^<]*)</.exec(html)?.[1] ?? ''

describe.each(storeKinds)('on %s', (store) => {
  test('after the login a user is on the page of the account that was asked for', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer

    for (const [path, title] of [
      ['/account', 'Your account'],
      ['/account/profile', 'Your names'],
      ['/account/email', 'Change your address'],
      ['/account/password', 'Change your password'],
      ['/account/security', 'Your ways to log in'],
      ['/account/sessions', 'Where you are logged in'],
      ['/.well-known/change-password', 'Change your password'],
    ] as const) {
      expect(titleOf((await open(issuer, path)).page)).toBe(title)
    }
  })

  test('after the login a browser returns only to a page of the account, even if the URL names another', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser } = await open(issuer, '/account')

    for (const state of ['https://evil.example', '//evil.example', 'constructor', '']) {
      const query = new URLSearchParams({ state, code: 'x' })
      const { location } = await browser.peek(`/account/return?${query}`)
      expect(location).toBe('/account?login=back')
    }
  })

  test('the overview accepts a login of any age, and changes require one of the last five minutes', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/profile')
    moveTime(301)

    expect(titleOf(await browser.get('/account'))).toBe('Your account')
    for (const path of ['profile', 'email', 'password', 'security', 'sessions']) {
      expect((await browser.get(`/account/${path}`)).html).toContain('name="password"')
    }
    const again = await browser.submit(page, { name: 'Mallory' })
    expect(again.html).toContain('autocomplete="current-password"')
    expect((await findUser(issuer.scope, ada.email))?.profile.name).not.toBe('Mallory')
  })

  test('a user with a second step who is trusted on a device proves it again before a change', async () => {
    const settings = { rememberDevice: true, rememberDeviceSeconds: 86_400 }
    const { issuer, user, app } = await startWithFactors({ store, settings })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    moveTime(60)
    const { browser, callback } = await logIn(issuer, app, ada)
    await browser.submit(callback, { code: codeOf(seed), trust: 'yes' })
    await browser.submit(await browser.get((await app.begin({ prompt: 'login' })).url), ada)
    moveTime(60)

    expect(titleOf(await browser.get('/account'))).toBe('Your account')
    const asked = await browser.get('/account/sessions')
    expect(asked.html).toContain('name="code"')
    const shown = await browser.submit(asked, { code: codeOf(seed) })
    expect(shown.html).toContain('Trusted devices')
    const forgotten = await browser.submit(shown, { forget: deviceOn(shown) })
    expect(forgotten.html).not.toContain('Trusted devices')
  })

  test('a user changes their names; an empty one is taken away, and a bad one refused', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/profile')

    const saved = await browser.submit(page, { name: 'Ada King', given_name: 'Ada' })
    expect(noteOf(saved)).toBe('Your changes are saved.')
    expect(saved.html).toContain('Ada King')
    const taken = await browser.submit(page, { name: '', given_name: 'Ada', family_name: 'King' })
    expect(titleOf(taken)).toBe('Your account')
    const bad = await browser.submit(page, { name: '', given_name: 'x'.repeat(201) })

    expect(bad.status).toBe(422)
    expect(noteOf(bad)).toBe('The name is too long: at most 200 characters.')
    const { profile } = (await findUser(issuer.scope, ada.email)) ?? {}
    expect(profile).toMatchObject({ given_name: 'Ada', family_name: 'King' })
    expect(profile).not.toHaveProperty('name')
  })

  test('a new address takes effect when the code sent there was entered, and the old address gets a message', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/email')

    const sent = await browser.submit(page, { email: 'countess@example.com', step: 'send' })
    expect((await issuer.mails())[0]?.to).toBe('countess@example.com')
    const code = await mailedCode(issuer)
    expect((await browser.submit(sent, { code: wrong(code) })).status).toBe(422)
    const changed = await browser.submit(sent, { code })

    expect(noteOf(changed)).toBe('Your address was changed. We have sent a message to the old one.')
    const [news] = await issuer.mails()
    expect(news?.to).toBe(ada.email)
    expect(news?.text).toContain('countess@example.com')
    expect(await findUser(issuer.scope, ada.email)).toBeUndefined()
    const next = await logIn(issuer, app, { ...ada, email: 'countess@example.com' })
    expect(next.callback.location).toContain('code=')
  })

  test('five wrong codes end the code, and another one that is sent is accepted', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/email')

    const sent = await browser.submit(page, { email: 'countess@example.com', step: 'send' })
    const code = await mailedCode(issuer)
    for (let guess = 0; guess < 5; guess++) {
      const refused = await browser.submit(sent, { code: wrong(code) })
      expect([refused.status, noteOf(refused)]).toEqual([
        422,
        'The code is wrong or was used already.',
      ])
    }
    const over = await browser.submit(sent, { code })
    expect([over.status, noteOf(over)]).toEqual([
      429,
      'Too many wrong codes. Have another code sent.',
    ])
    const again = await browser.submit(over, { step: 'send' })
    await browser.submit(again, { code: await mailedCode(issuer) })

    expect(await findUser(issuer.scope, 'countess@example.com')).toBeDefined()
  })

  test('wrong codes for a new address count over all codes, and the page tells how long to wait', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/email')
    let sent = page
    for (let codes = 0; codes < 2; codes++) {
      sent = await browser.submit(sent, { email: 'countess@example.com', step: 'send' })
      const code = wrong(await mailedCode(issuer))
      for (let guess = 0; guess < 5; guess++) await browser.submit(sent, { code })
    }
    sent = await browser.submit(sent, { email: 'countess@example.com', step: 'send' })
    const code = await mailedCode(issuer)

    const refused = await browser.submit(sent, { code })
    expect(refused.status).toBe(429)
    expect(refused.html).toContain('Try again in 30 seconds')
    moveTime(31)
    await browser.submit(sent, { code })
    expect(await findUser(issuer.scope, 'countess@example.com')).toBeDefined()
  })

  test('a code that was sent to one address does not confirm another', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/email')

    const sent = await browser.submit(page, { email: 'mine@example.com', step: 'send' })
    const code = await mailedCode(issuer)
    const stolen = await browser.submit(sent, { email: 'victim@example.com', code })

    expect(stolen.status).toBe(422)
    expect(await findUser(issuer.scope, 'victim@example.com')).toBeUndefined()
    expect(await findUser(issuer.scope, ada.email)).toBeDefined()
  })

  test('an address that is another user’s is answered as a free one is, and nobody gets a message', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    await issuer.addUser({ email: 'grace@example.com', password: ada.password })
    const { browser, page } = await open(issuer, '/account/email')

    const taken = await browser.submit(page, { email: 'grace@example.com', step: 'send' })
    const messages = (await issuer.mails()).length
    const free = await browser.submit(page, { email: 'other@example.com', step: 'send' })
    const same = ({ html }: Page): string =>
      html.replaceAll(/(grace|other)@example\.com/g, 'address')

    expect(messages).toBe(0)
    expect(same(taken)).toBe(same(free))
    const [refused, missed] = [
      await browser.submit(taken, { code: '00000000' }),
      await browser.submit(free, { code: '00000000' }),
    ]
    expect(same(refused)).toBe(same(missed))
  })

  test('a new password asks for the current one, ends the other sessions, and keeps this one', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const other = await open(issuer, '/account')
    const { browser, page } = await open(issuer, '/account/password')
    const password = 'another fine long one'

    const refused = await browser.submit(page, { current: 'wrong', password })
    expect(refused.status).toBe(422)
    expect(noteOf(refused)).toBe('The current password is wrong.')
    const weak = await browser.submit(page, { current: ada.password, password: 'password1' })
    expect(weak.status).toBe(422)
    const done = await browser.submit(page, { current: ada.password, password })

    expect(noteOf(done)).toContain('Your password was changed.')
    expect(titleOf(await browser.get('/account'))).toBe('Your account')
    expect((await other.browser.get('/account')).html).toContain('name="password"')
    expect((await issuer.mails())[0]?.subject).toContain('password')
    expect((await logIn(issuer, app, ada)).callback.status).toBe(422)
    expect((await logIn(issuer, app, { ...ada, password })).callback.location).toContain('code=')
  })

  test('guesses at the current password count as guesses at a login do', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const { browser, page } = await open(issuer, '/account/password')

    const statuses: number[] = []
    for (let n = 0; n < 12 && statuses.at(-1) !== 429; n++) {
      const form = { current: `guess ${n}`, password: 'another fine long one' }
      statuses.push((await browser.submit(page, form)).status)
    }

    expect(statuses).toContain(422)
    expect(statuses.at(-1)).toBe(429)
  })

  test('an account is deleted where the tenant allows it, after a confirmation', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    expect((await open(issuer, '/account/delete')).page.status).toBe(404)
    await issuer.changeSettings({}, { latchkey_account_deletion: 'true' })
    const { browser, page } = await open(issuer, '/account/delete')

    expect((await browser.submit(page, { confirm: '' })).status).toBe(422)
    const done = await browser.submit(page, { confirm: 'yes' })

    expect(titleOf(done)).toBe('Your account is deleted')
    expect(await findUser(issuer.scope, ada.email)).toBeUndefined()
    expect((await issuer.mails())[0]?.subject).toBe('Your account at Acme was deleted')
    expect((await browser.get('/account')).html).toContain('name="password"')
  })
})

describe.each(allStoreKinds)('for a user who has not proven the address, on %s,', (store) => {
  test('like an application, the account page is closed until the address is verified, if the tenant requires that', async () => {
    const { issuer } = await startWithFactors({ store, settings: { allowUnverified: false } })
    await using _ = issuer
    const eve = { email: 'eve@example.com', password: ada.password }
    await issuer.addUser({ ...eve, emailVerified: false })
    const { browser, page } = await open(issuer, '/account/email', eve)

    expect(page.html).toContain('please confirm that eve@example.com is yours')
    for (const path of ['', '/email', '/profile', '/security', '/sessions']) {
      expect(titleOf(await browser.get(`/account${path}`))).not.toMatch(/[Aa]ccount|Change|Where/)
    }
    const form = { email: 'mallory@example.com', step: 'send' }
    const body = new URLSearchParams({ ...form, csrf: '' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await browser.send('/account/email', { method: 'POST', body, headers })
    expect(posted.location).toMatch(/^\/oidc\/auth\?/)
    expect((await issuer.mails()).map(({ to }) => to)).not.toContain('mallory@example.com')

    await issuer.changeSettings({ allowUnverified: true })
    expect(titleOf(await browser.get('/account/email'))).toBe('Change your address')
  })
})

/** The pages with forms, and what their forms send. */
const FORMS = {
  '/account/profile': { name: 'Mallory' },
  '/account/email': { email: 'mallory@example.com', step: 'send' },
  '/account/password': { current: ada.password, password: 'another fine long one' },
  '/account/security': { step: 'renew' },
  '/account/security/add?kind=totp_app': { code: '000000' },
  '/account/security/connect': { connection: 'con_01m82bcx98e0093hrew12ps8d6' },
  '/account/sessions': { step: 'others' },
  '/account/delete': { confirm: 'yes' },
}

describe('a page of the account', () => {
  for (const [path, fields] of Object.entries(FORMS)) {
    test(`${path} does nothing for a visitor, an old login, another site, or without the token of its form`, async () => {
      const { issuer, user } = await startWithFactors()
      await using _ = issuer
      await addApp(issuer, user)
      await issuer.changeSettings({}, { latchkey_account_deletion: 'true' })
      await issuer.changeSettings({ allowTotpApp: false, allowTotpEmail: false })
      const { browser } = await open(issuer, '/account/profile')
      const token = tokenOn(await browser.get('/account/profile'))
      const before = await stateOf(issuer)
      const post = async (from: Browser, csrf: string, site = 'same-origin') => {
        const body = new URLSearchParams({ ...fields, csrf }).toString()
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': site,
        }
        const answer = await from.send(path, { method: 'POST', body, headers })
        return answer.location?.startsWith('/oidc/auth?') ? 'log in' : answer.status
      }

      const visitor = createBrowser(issuer)
      expect((await visitor.get(path)).html).toContain('autocomplete="current-password"')
      expect(await post(visitor, token)).toBe('log in')
      expect(await post(browser, '')).toBe(403)
      expect(await post(browser, tokenOn((await open(issuer, '/account/profile')).page))).toBe(403)
      expect(await post(browser, token, 'cross-site')).toBe(403)
      expect(await post(browser, token, 'same-site')).toBe(403)
      moveTime(301)
      expect(await post(browser, token)).toBe('log in')
      expect(await stateOf(issuer)).toEqual(before)
    })
  }

  test('is for the users of its own tenant alone', async () => {
    const [mine, other] = [await startWithFactors(), await startWithFactors()]
    await using _ = mine.issuer
    await using __ = other.issuer
    const { browser } = await open(mine.issuer, '/account')
    const cookies = browser.cookies().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: cookies.join('; ') }
    const peek = async (issuer: TestIssuer, path: string) =>
      (await createBrowser(issuer).send(path, { headers })).status

    expect(await peek(mine.issuer, '/account')).toBe(200)
    for (const path of ['/account', ...Object.keys(FORMS)]) {
      expect(await peek(other.issuer, path)).toBe(303)
    }
  })
})

const tokenOn = ({ html }: Page): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

/** What the forms could have changed. */
async function stateOf({ scope, domain, tenant, mails }: TestIssuer): Promise<unknown> {
  const user = await findUser(scope, ada.email)
  const page = { after: undefined, limit: 100 }
  const listed = user && (await domain.store.credentials.list(tenant.id, user.id, page))
  return {
    user,
    credentials: listed?.items.map(({ updatedAt, id }) => [id, updatedAt]),
    // A login in another browser is told.
    mails: (await mails()).filter(({ subject }) => !subject.startsWith('A new login')),
  }
}

describe.each(allStoreKinds)('the sessions of a user, on %s', (store) => {
  test('are listed with their browsers and applications, and end one by one or all but this one', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const browserWith = (userAgent: string): Browser => {
      const browser = createBrowser(issuer)
      browser.headers['user-agent'] = userAgent
      return browser
    }
    const phone = await logIn(issuer, app, ada, browserWith(SAFARI))
    const second = await logIn(issuer, app, ada, browserWith(SAFARI))
    const third = await logIn(issuer, app, ada)
    const desk = browserWith(FIREFOX)
    const page = await desk.submit(await desk.get('/account/sessions'), ada)

    expect(page.html).toContain('Firefox on Linux')
    expect(page.html.match(/Safari on iOS/g)).toHaveLength(2)
    expect(page.html).toContain('Unknown browser')
    expect(page.html).toContain('Used for ')
    const [newest] = sessionsOn(page)
    const left = await desk.submit(page, { end: newest ?? '' })
    expect(sessionsOn(left)).toHaveLength(2)
    expect((await third.browser.get('/account')).html).toContain('name="password"')
    expect(titleOf(await phone.browser.get('/account'))).toBe('Your account')
    const alone = await desk.submit(left, { step: 'others' })

    expect(sessionsOn(alone)).toEqual([])
    expect(titleOf(await desk.get('/account'))).toBe('Your account')
    for (const { browser } of [phone, second]) {
      expect((await browser.get('/account')).html).toContain('name="password"')
    }
  })

  test('end together with their offline access, and no other user’s session ends', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    await issuer.addUser({ email: 'grace@example.com', password: ada.password })
    const credentials = { ...ada, email: 'grace@example.com' }
    await open(issuer, '/account', credentials)
    const grace = await open(issuer, '/account/sessions', credentials)
    const offline = { scope: 'openid offline_access', prompt: 'consent' }
    const lost = await logIn(issuer, app, ada, undefined, offline)
    const tokens = await app.redeem(lost.begun, lost.callback)
    const { browser, page } = await open(issuer, '/account/sessions')
    const [end = ''] = sessionsOn(page)

    await grace.browser.submit(grace.page, { end })
    expect(titleOf(await lost.browser.get('/account'))).toBe('Your account')
    await browser.submit(page, { end })

    expect((await lost.browser.get('/account')).html).toContain('name="password"')
    await expect(app.refresh(tokens.refresh_token ?? '')).rejects.toThrow()
  })
})

const sessionsOn = ({ html }: Page): string[] =>
  [...html.matchAll(/name="end" value="([^"]+)"/g)].map(([, id = '']) => id)

const deviceOn = ({ html }: Page): string => /name="forget" value="([^"]+)"/.exec(html)?.[1] ?? ''
