import { afterEach, describe, expect, test, vi } from 'vitest'
import { proveRecoveryCode } from '../../src/domain/factors/factors.ts'
import type { User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import {
  addApp,
  addMail,
  codeOf,
  hasCode,
  MFA,
  mailedCode,
  recoveryCodesOn,
  seedOn,
  startWithFactors,
  TWO_STEP,
  wrong,
} from './support/factors.ts'
import { allStoreKinds, movesTheClock, type TestIssuer } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

const SECURITY = '/account/security'

afterEach(() => {
  vi.useRealTimers()
})

async function kindsOf({ domain, tenant }: TestIssuer, user: User): Promise<string[]> {
  const page = { after: undefined, limit: 100 }
  const listed = await domain.store.credentials.list(tenant.id, user.id, page)
  return (listed?.items ?? []).map(({ kind }) => kind).sort()
}

/** Adds an authenticator app on the account page; answers with the page of the recovery codes. */
async function enrolOnAccountPage(browser: Browser): Promise<{ seed: string; codes: Page }> {
  const form = await browser.get(`${SECURITY}/add?kind=totp_app`)
  const seed = seedOn(form)
  return { seed, codes: await browser.submit(form, { code: codeOf(seed) }) }
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('an application that asks for two factors has a user without one add it during the login', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer

    const {
      begun,
      browser,
      callback: form,
    } = await logIn(issuer, app, ada, undefined, {
      acr_values: MFA,
    })
    expect(form.html).toContain('role="img"')
    const seed = seedOn(form)
    expect((await browser.submit(form, { code: '000000' })).status).toBe(422)
    const code = codeOf(seed)
    const shown = await browser.submit(form, { code })
    const codes = recoveryCodesOn(shown)
    expect(codes).toHaveLength(10)
    const callback = await browser.submit(shown, { step: 'continue' })

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ sub: user.id, amr: ['pwd', 'otp', 'mfa'], acr: MFA })
    expect(await kindsOf(issuer, user)).toEqual(['password', 'recovery_codes', 'totp_app'])
    expect((await issuer.mails()).map(({ subject }) => subject)).toEqual([
      'The ways to log in at Acme were changed',
    ])
    const next = await logIn(issuer, app, ada)
    const used = await next.browser.submit(next.callback, { code })
    expect(used.status).toBe(422)
    moveTime(60)
    expect(hasCode(await next.browser.submit(next.callback, { code: codeOf(seed) }))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('a user who declines to add a factor continues, and the ID token has the lower acr', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer

    const {
      begun,
      browser,
      callback: form,
    } = await logIn(issuer, app, ada, undefined, {
      acr_values: MFA,
    })
    const callback = await browser.submit(form, { step: 'skip' })

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ amr: ['pwd'] })
    expect(claims).not.toHaveProperty('acr')
    expect(await kindsOf(issuer, user)).toEqual(['password'])
  })

  test('a logged-in user adds only the missing factor, and auth_time stays', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    await issuer.changeSettings({ allowTotpApp: false })
    const first = await logIn(issuer, app, ada)
    const before = (await app.redeem(first.begun, first.callback)).claims()
    await issuer.changeSettings({ allowTotpApp: true })
    moveTime(120)

    const begun = await app.begin({ acr_values: `urn:example:unknown ${TWO_STEP}` })
    const form = await first.browser.get(begun.url)
    expect(form.html).not.toContain('name="password"')
    const callback = await first.browser.submit(form, { code: codeOf(seed) })
    const claims = (await app.redeem(begun, callback)).claims()

    expect(claims).toMatchObject({ acr: TWO_STEP, amr: ['pwd', 'otp', 'mfa'] })
    expect(claims?.auth_time).toBe(before?.auth_time)
    const again = await app.begin({ acr_values: MFA, prompt: 'none' })
    const silent = await first.browser.get(again.url)
    expect((await app.redeem(again, silent)).claims()).toMatchObject({ acr: MFA })
  })

  test('a silent login that is too weak is refused if the tenant allows a stronger factor', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)
    const silently = async () =>
      browser.get((await app.begin({ acr_values: MFA, prompt: 'none' })).url)

    expect((await silently()).location).toContain('error=login_required')
    await issuer.changeSettings({ allowTotpApp: false, allowTotpEmail: false })
    expect(hasCode(await silently())).toBe(true)
  })

  test('after the mailed code, a user without another factor is asked to add an app if two factors are required', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addMail(issuer, user)

    const { browser, callback } = await logIn(issuer, app, ada, undefined, { acr_values: MFA })
    expect(callback.html).not.toContain('<code>')
    const direct = await browser.get(callback.url.replace('/factor', '/enrol'))
    expect(direct.html).not.toContain('<code>')
    const form = await browser.submit(callback, { step: 'send' })
    const enrol = await browser.submit(form, { code: await mailedCode(issuer) })

    expect(seedOn(enrol)).toBeTruthy()
  })

  test('the first second step ends the other sessions, and keeps the one that added it', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const other = await logIn(issuer, app, ada)
    const own = await logIn(issuer, app, ada)
    moveTime(1)

    const { codes } = await enrolOnAccountPage(own.browser)
    expect(recoveryCodesOn(codes)).toHaveLength(10)
    await issuer.idle()

    const silently = async (browser: Browser) =>
      browser.get((await app.begin({ prompt: 'none' })).url)
    expect((await silently(other.browser)).location).toContain('error=login_required')
    expect(hasCode(await silently(own.browser))).toBe(true)
    expect(await kindsOf(issuer, user)).toContain('totp_app')
  })

  test('the account page shows, adds and removes second steps', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)
    expect((await browser.get(SECURITY)).html).toContain(
      'Neither a passkey nor a second step has been added yet.',
    )

    const { seed, codes } = await enrolOnAccountPage(browser)
    moveTime(60)
    const asked = await browser.submit(codes, { step: 'continue' })
    expect(asked.html).toContain('autocomplete="one-time-code"')
    const page = await browser.submit(asked, { code: codeOf(seed) })
    expect(page.html).toContain('10 codes are left.')
    const mail = await browser.submit(await browser.get(`${SECURITY}/add?kind=totp_email`), {
      step: 'send',
    })
    await browser.submit(mail, { code: await mailedCode(issuer) })
    expect(await kindsOf(issuer, user)).toEqual([
      'password',
      'recovery_codes',
      'totp_app',
      'totp_email',
    ])

    const renewed = await browser.submit(await browser.get(SECURITY), { step: 'renew' })
    expect(recoveryCodesOn(renewed)).not.toEqual(recoveryCodesOn(codes))
    await browser.submit(await browser.get(SECURITY), { remove: 'totp_email' })
    await browser.submit(await browser.get(SECURITY), { remove: 'totp_app' })
    expect(await kindsOf(issuer, user)).toEqual(['password'])
    expect(issuer.problems).toEqual([])
  })

  test('the account page says how many recovery codes are left, and that only one is', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { seed, codes } = await addApp(issuer, user)
    for (const code of codes.slice(0, 7)) await proveRecoveryCode(issuer.scope, user.id, code)
    const { browser, callback } = await logIn(issuer, app, ada)
    await browser.submit(callback, { code: codeOf(seed) })
    expect((await browser.get(SECURITY)).html).toContain('Only 3 codes are left.')
    for (const code of codes.slice(7, 9)) await proveRecoveryCode(issuer.scope, user.id, code)
    expect((await browser.get(SECURITY)).html).toContain('Only one code is left.')
  })

  test('five wrong codes by mail end the code on the account page, and another one that is sent adds the step', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)
    const page = await browser.get(`${SECURITY}/add?kind=totp_email`)
    const sent = await browser.submit(page, { step: 'send' })
    const code = await mailedCode(issuer)
    for (let guess = 0; guess < 5; guess++) {
      expect((await browser.submit(sent, { code: wrong(code) })).status).toBe(422)
    }
    const over = await browser.submit(sent, { code })
    expect(over.status).toBe(429)
    expect(over.html).toContain('Too many wrong codes. Have another code sent.')
    const again = await browser.submit(over, { step: 'send' })
    await browser.submit(again, { code: await mailedCode(issuer) })

    expect(await kindsOf(issuer, user)).toContain('totp_email')
  })

  test('the account page asks for a login of the last five minutes, with all steps of the user', async () => {
    const settings = { rememberDevice: true, rememberDeviceSeconds: 86_400 }
    const { issuer, user, app } = await startWithFactors({ store, settings })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    await browser.submit(callback, { code: codeOf(seed), trust: 'yes' })
    expect((await browser.get(SECURITY)).html).toContain('Your ways to log in')

    moveTime(301)
    const login = await browser.get(SECURITY)
    expect(login.html).toContain('name="password"')
    const asked = await browser.submit(login, ada)
    expect(asked.html).toContain('autocomplete="one-time-code"')
    const page = await browser.submit(asked, { code: codeOf(seed) })
    expect(page.html).toContain('10 codes are left.')
  })

  test('the account page is not for a browser that has proven the password only', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addApp(issuer, user)
    const { browser } = await logIn(issuer, app, ada)

    for (const path of [SECURITY, `${SECURITY}/add?kind=totp_email`]) {
      expect((await browser.get(path)).html).toContain('name="password"')
    }
    const denied = await browser.get('/account/return?error=access_denied')
    expect(denied.status).toBe(403)
    expect(await kindsOf(issuer, user)).toHaveLength(3)
  })

  test('a form of the account page needs the token of the session, and comes from the same site', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)
    const { seed, codes } = await enrolOnAccountPage(browser)
    moveTime(60)
    const page = await browser.submit(await browser.submit(codes, { step: 'continue' }), {
      code: codeOf(seed),
    })
    const other = createBrowser(issuer)
    const bob = { ...ada, email: 'bob@example.com' }
    await issuer.addUser(bob)
    await logIn(issuer, app, bob, other)

    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    for (const token of ['', 'x', csrf.slice(1)]) {
      const html = page.html.replaceAll(csrf, token)
      const answer = await browser.submit({ ...page, html }, { remove: 'totp_app' })
      expect(answer.status).toBe(403)
    }
    expect((await other.submit(page, { remove: 'totp_app' })).status).toBe(403)
    browser.headers['sec-fetch-site'] = 'cross-site'
    expect((await browser.submit(page, { remove: 'totp_app' })).status).toBe(403)
    expect(await kindsOf(issuer, user)).toContain('totp_app')
  })

  test('a key that one user was shown adds nothing to another, nor in another login', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    const bob = { ...ada, email: 'bob@example.com' }
    const other = await issuer.addUser(bob)
    const parameters = { acr_values: MFA }
    const one = await logIn(issuer, app, ada, undefined, parameters)
    const two = await logIn(issuer, app, bob, undefined, parameters)
    const code = codeOf(seedOn(one.callback))

    expect((await two.browser.submit(two.callback, { code })).status).toBe(422)
    expect((await two.browser.submit(one.callback, { code })).status).toBe(400)
    expect(await kindsOf(issuer, other)).toEqual(['password'])
    expect(await kindsOf(issuer, user)).toEqual(['password'])
  })
})

test('discovery names the strengths that the issuer knows', async () => {
  const { issuer, app } = await startWithFactors()
  await using _ = issuer
  expect(app.config.serverMetadata().acr_values_supported).toEqual([TWO_STEP, MFA])
})
