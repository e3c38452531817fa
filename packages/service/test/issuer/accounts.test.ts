import { afterEach, describe, expect, test, vi } from 'vitest'
import { askForReset, createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import {
  applicationUrl,
  movesTheClock,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

/** A browser that has opened the form to create an account. */
async function openSignup(issuer: TestIssuer) {
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const begun = await app.begin()
  const login = await browser.get(begun.url)
  const path = /href="([^"]*\/signup[^"]*)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return { app, browser, begun, form: await browser.get(path) }
}

describe.each(storeKinds)('on %s', (store) => {
  test('a visitor signs up, proves the address and lands at the application', async () => {
    await using issuer = await startIssuer({ store })
    const { app, browser, begun, form } = await openSignup(issuer)
    const sent = await browser.submit(form, { ...ada, name: 'Ada Lovelace' })
    expect(sent.html).toContain('Check your inbox')
    expect((await browser.submit(sent, { step: 'continue' })).html).toContain('still waiting')

    const callback = await browser.submit(await browser.get(await issuer.lastLink()))
    expect((await app.redeem(begun, callback)).claims()).toMatchObject({
      email: ada.email,
      email_verified: true,
      name: 'Ada Lovelace',
    })
    expect((await logIn(issuer, app, ada)).callback.location).toContain('code=')
  })

  test('where unverified users may log in, a sign-up goes on without the message', async () => {
    await using issuer = await startIssuer({ store, settings: { allowUnverified: true } })
    const { app, browser, begun, form } = await openSignup(issuer)
    const sent = await browser.submit(form, ada)
    const callback = await browser.submit(sent, { step: 'continue' })
    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ email_verified: false })
  })

  test('a sign-up with a taken address gets the same answer and changes nothing; its owner gets a message', async () => {
    await using issuer = await startIssuer({ store, settings: { allowUnverified: true } })
    const owner = await issuer.addUser(ada)
    const taken = await openSignup(issuer)
    const known = await taken.browser.submit(taken.form, { ...ada, password: 'not the real one' })
    const fresh = await openSignup(issuer)
    const unknown = await fresh.browser.submit(fresh.form, {
      email: 'eve@example.com',
      password: 'not the real one',
    })
    const neutral = (html: string) =>
      html
        .replace(/name="csrf" value="[^"]*"/, '')
        .replaceAll(/(ada|eve)@example.com|\/login\/[^/?]+/g, '')
    expect(known.status).toBe(unknown.status)
    expect(neutral(known.html)).toBe(neutral(unknown.html))

    const waiting = await taken.browser.submit(known, { step: 'continue' })
    expect(waiting.html).toContain('still waiting')
    const [, reminder] = await issuer.mails()
    expect(reminder).toMatchObject({ to: ada.email, subject: expect.stringContaining('already') })
    const app = await createClient(issuer)
    expect((await logIn(issuer, app, ada)).callback.location).toContain('code=')
    expect(await issuer.domain.store.users.get(issuer.tenant.id, owner.id)).toEqual(owner)
  })

  test('a stranger who signed up with another person’s address is locked out when the owner sets a password', async () => {
    await using issuer = await startIssuer({ store, settings: { allowUnverified: true } })
    const thief = await openSignup(issuer)
    const waiting = await thief.browser.submit(thief.form, { ...ada, password: 'of the thief' })

    const { browser } = await askForReset(issuer)
    await browser.submit(await browser.get(await issuer.lastLink()), { password: ada.password })
    const answer = await thief.browser.submit(waiting, { step: 'continue' })
    expect(answer.location).toBeUndefined()
    expect(answer.html).toContain('We are still waiting')
    expect((await logIn(issuer, thief.app, ada)).callback.location).toContain('code=')
  })

  test('a new password lets its owner log in at once, however often others have guessed', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    for (let i = 0; i < 5; i++) await logIn(issuer, app, { ...ada, password: 'a guess' })
    expect((await logIn(issuer, app, ada)).callback.status).toBe(429)

    const { browser } = await askForReset(issuer)
    const mine = { ...ada, password: 'my own new one' }
    await browser.submit(await browser.get(await issuer.lastLink()), { password: mine.password })
    expect((await logIn(issuer, app, mine)).callback.location).toContain('code=')
  })

  test('no message to an unverified address contains text that a stranger entered', async () => {
    await using issuer = await startIssuer({ store, settings: { allowUnverified: true } })
    const { browser, form } = await openSignup(issuer)
    const name = 'You have won, see https://evil.example'
    await browser.submit(form, { ...ada, name })
    await askForReset(issuer)
    const mails = await issuer.mails()
    expect(mails).toHaveLength(2)
    for (const { text, html, subject } of mails) expect(text + html + subject).not.toContain('evil')
    expect(mails[0]?.text).toContain('Hello,')
  })

  test('asking for a reset gets the same answer for any address, and a message only where there is an account', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const known = await askForReset(issuer)
    const unknown = await askForReset(issuer, 'eve@example.com')
    expect(unknown.answer.status).toBe(known.answer.status)
    expect(unknown.answer.html.replace('eve@', 'ada@')).toBe(known.answer.html)
    expect((await issuer.mails()).map(({ to }) => to)).toEqual([ada.email])
  })

  test('only an accepted password uses up a reset link, not opening it or a refused password', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { browser } = await askForReset(issuer)
    const link = await issuer.lastLink()
    for (let i = 0; i < 3; i++) await issuer.fetch(link)

    const form = await browser.get(link)
    const refusals = {
      short: 'fewer than 8',
      [ada.email]: 'must not be your email',
      Password123: 'This password is too common',
      'Lovelace-1815': 'must not consist of your name',
      Acme20262026: 'must not consist of your name',
      ['ä'.repeat(37)]: 'at most 72 bytes',
    }
    for (const [password, text] of Object.entries(refusals)) {
      const refused = await browser.submit(form, { password })
      expect(refused.status).toBe(422)
      expect(refused.html).toContain(text)
    }
    const done = await browser.submit(form, { password: 'a brand new one' })
    expect(done.html).toContain('Your new password is set')
    expect((await browser.submit(form, { password: 'and another one' })).status).toBe(410)
    expect((await browser.get(link)).status).toBe(410)
    expect((await issuer.mails())[0]?.subject).toContain('was changed')
  })

  test('of parallel submissions of one reset link exactly one sets its password', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { browser } = await askForReset(issuer)
    const form = await browser.get(await issuer.lastLink())
    const passwords = ['number one it is', 'number two it is', 'number three it is']
    const answers = await Promise.all(
      passwords.map((password) => browser.submit(form, { password })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const app = await createClient(issuer)
    const logins = []
    for (const password of passwords) {
      logins.push((await logIn(issuer, app, { ...ada, password })).callback.location !== undefined)
    }
    expect(logins).toEqual(answers.map(({ status }) => status === 200))
  })

  test('a newer link ends the older one of the same purpose', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await askForReset(issuer)
    const older = await issuer.lastLink()
    const { browser } = await askForReset(issuer)
    const newer = await issuer.lastLink()
    expect((await browser.get(older)).status).toBe(410)
    expect((await browser.get(newer)).status).toBe(200)
  })

  test('a reset link works for an hour, a verification link for a day', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser({ ...ada, emailVerified: false })
    const { browser } = await askForReset(issuer)
    const resetLink = await issuer.lastLink()
    await logIn(issuer, await createClient(issuer), ada)
    const verifyLink = await issuer.lastLink()
    moveTime(3_590)
    expect((await browser.get(resetLink)).status).toBe(200)
    moveTime(20)
    expect((await browser.get(resetLink)).status).toBe(410)
    moveTime(82_000)
    expect((await browser.get(verifyLink)).status).toBe(200)
    moveTime(1_000)
    expect((await browser.get(verifyLink)).status).toBe(410)
  })

  test('opening a verification link verifies nothing; the button does, once', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser({ ...ada, emailVerified: false })
    const verifiedAt = async () =>
      (await issuer.domain.store.users.get(issuer.tenant.id, user.id))?.verifiedAt
    await logIn(issuer, await createClient(issuer), ada)
    const browser = createBrowser(issuer)
    const page = await browser.get(await issuer.lastLink())
    expect(await verifiedAt()).toBeUndefined()
    const { password } = ada
    expect((await browser.submit(page, { password })).html).toContain('Your address is confirmed')
    expect(await verifiedAt()).toBeDefined()
    expect((await browser.submit(page, { password })).status).toBe(410)
  })

  test('a verification link for an address that the user no longer has verifies nothing', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser({ ...ada, emailVerified: false })
    await logIn(issuer, await createClient(issuer), ada)
    const link = await issuer.lastLink()
    await issuer.changeUser(user, { email: 'new@example.com' })
    const browser = createBrowser(issuer)
    expect((await browser.submit(await browser.get(link))).status).toBe(410)
    const after = await issuer.domain.store.users.get(issuer.tenant.id, user.id)
    expect(after?.verifiedAt).toBeUndefined()
  })

  test('guesses at one address have to wait longer and longer, also for the right password, up to a maximum', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    const wrong = { ...ada, password: 'wrong' }
    for (let i = 0; i < 5; i++) expect((await browser.submit(form, wrong)).status).toBe(422)

    const refused = await browser.submit(form, ada)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(refused.html).toContain('Too many attempts')
    expect(refused.html).toContain('Try again in 2 seconds.')
    moveTime(1)
    expect((await browser.submit(form, ada)).html).toContain('Try again in 1 second.')
    moveTime(1)
    expect((await browser.submit(form, wrong)).status).toBe(422)
    expect((await browser.submit(form, wrong)).headers.get('retry-after')).toBe('4')
    moveTime(4)
    expect((await browser.submit(form, ada)).location).toContain('code=')
    expect(await issuer.actions()).toContain('limit.login_address')
  })

  test('an address without an account is limited in the same way', async () => {
    await using issuer = await startIssuer({ store })
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    const guess = { email: 'eve@example.com', password: 'wrong' }
    for (let i = 0; i < 5; i++) expect((await browser.submit(form, guess)).status).toBe(422)
    expect((await browser.submit(form, guess)).status).toBe(429)
  })
})

test('a client that tries many addresses has to wait, identified by the address that its trusted proxy reports', async () => {
  const limits = {
    loginPerClient: { free: 3, baseSeconds: 10, maxSeconds: 60, forgetSeconds: 3_600 },
  }
  await using issuer = await startIssuer({ limits, trustedProxies: ['127.0.0.1'] })
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin()).url)
  const guess = (from: string, n: number) => {
    browser.headers['x-forwarded-for'] = from
    return browser.submit(form, { email: `user${n}@example.com`, password: 'wrong' })
  }
  for (let n = 0; n < 3; n++) {
    // What the client writes itself, left of the proxy's own entry, changes nothing.
    expect((await guess(`10.9.8.${n}, 203.0.113.7`, n)).status).toBe(422)
  }
  expect((await guess('10.9.8.9, 203.0.113.7', 4)).status).toBe(429)
  expect((await guess('203.0.113.8', 5)).status).toBe(422)
  expect(await issuer.actions()).toContain('limit.login_client')
})

test('without configured proxies X-Forwarded-For is not believed', async () => {
  const limits = {
    loginPerClient: { free: 2, baseSeconds: 10, maxSeconds: 60, forgetSeconds: 3_600 },
  }
  await using issuer = await startIssuer({ limits })
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin()).url)
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) {
    browser.headers['x-forwarded-for'] = `203.0.113.${n}`
    const guess = { email: `user${n}@example.com`, password: 'wrong' }
    statuses.push((await browser.submit(form, guess)).status)
  }
  expect(statuses).toEqual([422, 422, 429])
})

test('messages to one address are limited, and the answer stays the same', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const answers = []
  for (let i = 0; i < 5; i++) answers.push((await askForReset(issuer)).answer)
  expect(new Set(answers.map(({ html }) => html)).size).toBe(1)
  expect(await issuer.mails()).toHaveLength(3)
  expect(await issuer.actions()).toContain('limit.mail_address')
})

test('one client that asks for many messages has to wait, which the audit log says', async () => {
  const limits = {
    mailPerClient: { free: 2, baseSeconds: 10, maxSeconds: 60, forgetSeconds: 3_600 },
  }
  await using issuer = await startIssuer({ limits })
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) {
    statuses.push((await askForReset(issuer, `user${n}@example.com`)).answer.status)
  }
  const { browser, form } = await openSignup(issuer)
  expect(statuses).toEqual([200, 200, 429])
  expect((await browser.submit(form, ada)).status).toBe(429)
  expect(await issuer.actions()).toContain('limit.mail_client')
})

test('a name with line breaks or other control characters is refused', async () => {
  await using issuer = await startIssuer()
  const { browser, form } = await openSignup(issuer)
  const refused = await browser.submit(form, { ...ada, name: 'Ada\r\nBcc: eve@example.com' })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('contains a character that cannot be used')
})

test('a form without its token, with a foreign one, or from another site is refused', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin()).url)
  const foreign = await createBrowser(issuer).get((await app.begin()).url)
  const foreignToken = /name="csrf" value="([^"]*)"/.exec(foreign.html)?.[1] ?? ''
  for (const csrf of ['', 'x', foreignToken]) {
    expect((await browser.submit(form, { ...ada, csrf })).status).toBe(403)
  }
  browser.headers['sec-fetch-site'] = 'cross-site'
  expect((await browser.submit(form, ada)).status).toBe(403)
  browser.headers['sec-fetch-site'] = 'same-site'
  expect((await browser.submit(form, ada)).status).toBe(403)
  browser.headers['sec-fetch-site'] = 'same-origin'
  expect((await browser.submit(form, ada)).location).toContain('code=')
})

test.each([
  ['en', 'Your browser blocks cookies', 'Allow them for'],
  ['de', 'Ihr Browser blockiert Cookies', 'Erlauben Sie diese für'],
])(
  'a browser that blocks cookies is told so (%s), with a code and the way back to the application',
  async (language, title, text) => {
    await using issuer = await startIssuer()
    const app = await createClient(issuer)
    const browser = createBrowser(issuer, { blocksCookies: true })
    browser.headers['accept-language'] = language
    const page = await browser.get((await app.begin()).url)
    expect(page.status).toBe(400)
    expect(page.html).toContain(title)
    expect(page.html).toContain(`${text} ${new URL(issuer.url).host}`)
    expect(page.html).toContain('LATCHKEY_COOKIES_BLOCKED')
    expect(page.html).toContain(
      `href="${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}"`,
    )
  },
)

test('a browser that keeps cookies and opens the page of another login is told that it has expired', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const { url } = await createBrowser(issuer).get((await app.begin()).url)
  const page = await createBrowser(issuer).get(url)
  expect(page.html).toContain('This page has expired')
})

test('a login page that was left open too long leads back to the application', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin()).url)
  moveTime(3_700)
  const expired = await browser.submit(form, ada)
  expect(expired.status).toBe(400)
  expect(expired.html).toContain('This page has expired')
  expect(expired.html).toContain(
    `href="${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}"`,
  )
})

test('going back to a finished login says who is logged in and leads on', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin()).url)
  await browser.submit(form, ada)
  const back = await browser.submit(form, ada)
  expect(back.html).toContain('You are logged in already')
  expect(back.html).toContain(ada.email)
  expect(back.html).toContain(
    `href="${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}"`,
  )
})

test('a link to set a password that is no longer good leads to the form for another one', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const browser = createBrowser(issuer)
  const dead = await browser.get('/reset?token=gone&application=x&ui_locales=de')
  expect(dead.status).toBe(410)
  const path = /href="([^"]*\/reset[^"]*)"/.exec(dead.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const sent = await browser.submit(await browser.get(path), { email: ada.email })
  expect(sent.html).toContain('Sehen Sie in Ihr Postfach')
  expect(await issuer.mails()).toHaveLength(1)
})
