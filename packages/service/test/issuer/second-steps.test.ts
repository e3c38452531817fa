import { afterEach, describe, expect, test, vi } from 'vitest'
import { readFactors } from '../../src/domain/factors/factors.ts'
import { changeAddress } from '../../src/domain/users/accounts.ts'
import { deleteCredential, updateCredential } from '../../src/domain/users/credentials.ts'
import { createBrowser } from './support/browser.ts'
import { logIn } from './support/client.ts'
import {
  addApp,
  addMail,
  codeOf,
  hasCode,
  MFA,
  mailedCode,
  startWithFactors,
  TWO_STEP,
  wrong,
} from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

describe.each(allStoreKinds)('on %s', (store) => {
  test('a user with an authenticator app logs in with password and code, and the ID token says so', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)

    const { begun, callback: page, browser } = await logIn(issuer, app, ada)
    expect(page.status).toBe(200)
    expect(page.html).toContain('autocomplete="one-time-code"')
    const callback = await browser.submit(page, { code: codeOf(seed) })

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ sub: user.id, amr: ['pwd', 'otp', 'mfa'], acr: MFA })
    expect(issuer.problems).toEqual([])
  })

  test('after the right password nothing is opened while the second step is missing', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addApp(issuer, user)

    const { browser } = await logIn(issuer, app, ada)

    expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
    expect(browser.setCookies.filter((line) => /^latchkey-(session|device)/.test(line))).toEqual([])
    const silent = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('error=login_required')
    expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
    expect(await issuer.actions()).not.toContain('login.succeeded')
  })

  test('a code works once, and a code of an earlier time step does not work after a later one', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const [before, now] = [codeOf(seed, -1), codeOf(seed)]
    const first = await logIn(issuer, app, ada)
    expect(hasCode(await first.browser.submit(first.callback, { code: now }))).toBe(true)

    const second = await logIn(issuer, app, ada)
    for (const code of [now, before]) {
      const page = await second.browser.submit(second.callback, { code })
      expect(page.status).toBe(422)
      expect(page.html).toContain('wrong or was used already')
    }
    moveTime(30)
    expect(hasCode(await second.browser.submit(second.callback, { code: codeOf(seed) }))).toBe(true)
  })

  test('of logins with the same code at once one succeeds', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const logins = await Promise.all([1, 2, 3].map(() => logIn(issuer, app, ada)))
    const code = codeOf(seed)

    const pages = await Promise.all(
      logins.map(({ browser, callback }) => browser.submit(callback, { code })),
    )

    expect(pages.filter(hasCode)).toHaveLength(1)
  })

  test('a double click on the button of the second step logs in all the same', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { begun, browser, callback } = await logIn(issuer, app, ada)
    const code = codeOf(seed)

    await browser.submitOnly(callback, { code })
    const second = await browser.submit(callback, { code })

    expect((await app.redeem(begun, second)).claims()).toMatchObject({ acr: MFA })
  })

  test('a code with spaces is accepted, and digits of other scripts are refused without a failure', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)

    for (const code of ['٤٠٦٠٥٨', 'null', '12345', '1234567', '0x1234', ' ']) {
      expect((await browser.submit(callback, { code })).status).toBe(422)
    }
    const again = await logIn(issuer, app, ada)
    const code = ` ${codeOf(seed).replace(/(...)/, '$1 ')} `
    expect(hasCode(await again.browser.submit(again.callback, { code }))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('five wrong codes end the login, which begins again with the password', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)

    for (let i = 0; i < 5; i++) {
      expect((await browser.submit(callback, { code: wrong(codeOf(seed)) })).status).toBe(422)
    }
    const over = await browser.submit(callback, { code: codeOf(seed) })
    expect(over.status).toBe(429)
    expect(over.html).toContain('Please log in again')
    expect((await browser.submit(callback, { code: codeOf(seed) })).html).toContain(
      'name="password"',
    )
    const mails = await issuer.mails()
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Another person knows your password at Acme',
    ])
  })

  test('guesses over many logins are judged no more often than the limit of the user allows', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const logins = await Promise.all([1, 2, 3, 4].map(() => logIn(issuer, app, ada)))
    const code = wrong(codeOf(seed))

    const pages = await Promise.all(
      logins.flatMap(({ browser, callback }) =>
        Array.from({ length: 10 }, () => browser.submitOnly(callback, { code })),
      ),
    )

    const judged = pages.filter(({ status }) => status === 422).length
    expect(judged).toBeGreaterThan(0)
    expect(judged).toBeLessThanOrEqual(10)
    const owner = await logIn(issuer, app, ada)
    expect((await owner.browser.submit(owner.callback, { code: codeOf(seed) })).status).toBe(429)
    moveTime(60)
    expect(hasCode(await owner.browser.submit(owner.callback, { code: codeOf(seed) }))).toBe(true)
  })

  test('a recovery code works once as the second step, and never as the first', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { codes } = await addApp(issuer, user)
    const code = codes[0]?.toLowerCase().replaceAll('-', ' ') ?? ''
    expect(codes).toHaveLength(10)

    const asPassword = await logIn(issuer, app, { ...ada, password: codes[1] ?? '' })
    expect(asPassword.callback.status).toBe(422)
    const { begun, browser, callback } = await logIn(issuer, app, ada)
    const form = await browser.get(`${callback.url}&kind=recovery_codes`)
    const done = await browser.submit(form, { code })
    expect((await app.redeem(begun, done)).claims()).toMatchObject({ acr: MFA })

    const again = await logIn(issuer, app, ada)
    const second = await again.browser.get(`${again.callback.url}&kind=recovery_codes`)
    expect((await again.browser.submit(second, { code })).status).toBe(422)
    expect((await issuer.mails())[0]?.subject).toContain('were changed')
  })

  test('of uses of one recovery code at once one succeeds', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { codes } = await addApp(issuer, user)
    const forms = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const { browser, callback } = await logIn(issuer, app, ada)
        return { browser, form: await browser.get(`${callback.url}&kind=recovery_codes`) }
      }),
    )

    const pages = await Promise.all(
      forms.map(({ browser, form }) => browser.submit(form, { code: codes[0] ?? '' })),
    )

    expect(pages.filter(hasCode)).toHaveLength(1)
  })

  test('new recovery codes end the earlier ones', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { codes } = await addApp(issuer, user)
    await deleteCredential(issuer.scope, user.id, 'totp_app', 0)
    await addApp(issuer, user)

    const { browser, callback } = await logIn(issuer, app, ada)
    const form = await browser.get(`${callback.url}&kind=recovery_codes`)
    expect((await browser.submit(form, { code: codes[0] ?? '' })).status).toBe(422)
  })

  test('a mailed code is a second step, and no second factor', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addMail(issuer, user)

    const { begun, browser, callback } = await logIn(issuer, app, ada)
    expect(callback.html).not.toContain('name="code"')
    const form = await browser.submit(callback, { step: 'send' })
    const done = await browser.submit(form, { code: await mailedCode(issuer) })

    const claims = (await app.redeem(begun, done)).claims()
    expect(claims).toMatchObject({ amr: ['pwd', 'otp'], acr: TWO_STEP })
  })

  test('a mailed code is good for ten minutes, once, in the login that it was sent for', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addMail(issuer, user)
    const first = await logIn(issuer, app, ada)
    const second = await logIn(issuer, app, ada)
    const form = await first.browser.submit(first.callback, { step: 'send' })
    const code = await mailedCode(issuer)
    const other = await second.browser.submit(second.callback, { step: 'send' })

    expect((await second.browser.submit(other, { code })).status).toBe(422)
    moveTime(601)
    const late = await first.browser.submit(form, { code })
    expect(late.status).toBe(422)
    expect(late.html).toContain('has expired')
    const fresh = await mailedCode(issuer)
    expect(hasCode(await first.browser.submit(late, { code: fresh }))).toBe(true)
  })

  test('a code that was mailed to an address which the user has left meanwhile is no second step', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addMail(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    const form = await browser.submit(callback, { step: 'send' })
    const code = await mailedCode(issuer)
    const login = { loggedInAt: Date.now() / 1_000 }
    await changeAddress(issuer.scope, user, 'ada@new.example.com', login)

    const refused = await browser.submit(form, { code })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('has expired')
    expect(hasCode(await browser.submit(refused, { code: await mailedCode(issuer) }))).toBe(true)
  })

  test('a factor that is disabled, or that the tenant no longer allows, is not asked for', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addApp(issuer, user)
    const isAsked = async () => !hasCode((await logIn(issuer, app, ada)).callback)
    expect(await isAsked()).toBe(true)

    await issuer.changeSettings({ allowTotpApp: false })
    expect(await isAsked()).toBe(false)
    await issuer.changeSettings({ allowTotpApp: true })
    expect(await isAsked()).toBe(true)
    const input = { disabled: true, metadata: {} }
    await updateCredential(issuer.scope, user.id, 'totp_app', input)
    expect(await isAsked()).toBe(false)
  })

  test('a login that waits for its second step ends when the password is reset meanwhile', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    const other = createBrowser(issuer)
    await other.submit(await other.get('/reset'), { email: ada.email })
    await other.submit(await other.get(await issuer.lastLink()), { password: 'another fine one' })

    const page = await browser.submit(callback, { code: codeOf(seed) })

    expect(page.html).toContain('name="password"')
    expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
  })

  test.each(['the user', 'the tenant'])(
    'a login that waits for its second step ends when the password of %s is switched off meanwhile',
    async (owner) => {
      const { issuer, user, app } = await startWithFactors({ store })
      await using _ = issuer
      const { seed, codes } = await addApp(issuer, user)
      const { browser, callback } = await logIn(issuer, app, ada)
      const off = { disabled: true, metadata: {} }
      if (owner === 'the user') await updateCredential(issuer.scope, user.id, 'password', off)
      else await issuer.changeSettings({ allowPasswords: false })

      const page = await browser.submit(callback, { code: codeOf(seed) })

      expect(hasCode(page)).toBe(false)
      expect(page.html).toContain('name="email"')
      const recovery = { kind: 'recovery_codes', code: codes[0] ?? '' }
      expect(hasCode(await browser.submit(callback, recovery))).toBe(false)
      expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
      const { recoveryCodes } = await readFactors(
        issuer.domain,
        issuer.tenant.id,
        issuer.tenant.settings,
        user.id,
      )
      expect(recoveryCodes).toBe(codes.length)
    },
  )

  test('a password reset by mail does not skip the second step', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addApp(issuer, user)
    const browser = createBrowser(issuer)
    const begun = await app.begin()
    const login = await browser.get(begun.url)
    const [, href = ''] = /href="([^"]*\/reset\?[^"]*)"/.exec(login.html) ?? []
    const request = await browser.get(href.replaceAll('&amp;', '&'))
    await browser.submit(request, { email: ada.email })
    const form = await browser.get(await issuer.lastLink())
    const back = await browser.submit(form, { password: 'another fine one' })

    const page = await browser.submit(back, { ...ada, password: 'another fine one' })

    expect(page.html).toContain('autocomplete="one-time-code"')
  })

  test('no answer, mail address or stored entry holds a seed or a code in clear text', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed, codes } = await addApp(issuer, user)
    await addMail(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    const form = await browser.get(`${callback.url}&kind=totp_email`)
    const sent = await browser.submit(form, { step: 'send' })
    const code = await mailedCode(issuer)

    const stored = await issuer.dumpProtocol()
    const page = { after: undefined, limit: 100 }
    const credentials = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, page)
    const all = [
      stored,
      sent.html,
      JSON.stringify(credentials),
      JSON.stringify(await issuer.audit()),
    ]
    for (const secret of [seed, code, ...codes]) {
      for (const text of all) expect(text).not.toContain(secret)
    }
  })
})
