import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { createVisitor, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import {
  addApp,
  codeOf,
  hasCode,
  recoveryCodesOn,
  seedOn,
  startWithFactors,
} from './support/factors.ts'
import { allStoreKinds, applicationUrl, movesTheClock, type TestIssuer } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const KEY = 'latchkey_second_step_from'
const DAY_SECONDS = 86_400

/** The day that comes in so many days, in UTC. */
const dayIn = (days: number) =>
  new Date(Date.now() + days * DAY_SECONDS * 1_000).toISOString().slice(0, 10)

const require = (issuer: TestIssuer, days: number) =>
  issuer.changeSettings({}, { [KEY]: dayIn(days) })

const canPostpone = ({ html }: Page) => html.includes('value="skip"')
const asksToAdd = ({ html }: Page) => html.includes('A login needs a second step here.')

describe.each(allStoreKinds)('on %s', (store) => {
  test('until the day, a user is asked to add a second step and can postpone it, at each login', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    await require(issuer, 10)
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(
      new Date(dayIn(10)),
    )
    for (let logins = 0; logins < 2; logins++) {
      const { browser, callback: form, begun } = await logIn(issuer, app, ada)
      expect(form.html).toContain(`From ${day} on, a login needs a second step here.`)
      expect(canPostpone(form)).toBe(true)
      const callback = await browser.submit(form, { step: 'skip' })
      const tokens = await app.redeem(begun, callback)
      expect(tokens.claims()?.acr).toBeUndefined()
      expect(hasCode(await browser.get((await app.begin({ prompt: 'none' })).url))).toBe(true)
    }
    expect(issuer.problems).toEqual([])
  })

  test('from the day on, a login has a second step: nothing postpones it, and neither a session nor a refresh token from before goes round it', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    await require(issuer, 2)
    const {
      browser,
      callback: form,
      begun,
    } = await logIn(issuer, app, ada, undefined, {
      scope: 'openid offline_access',
      prompt: 'consent',
    })
    const tokens = await app.redeem(begun, await browser.submit(form, { step: 'skip' }))
    const { refresh_token: first = '' } = tokens
    const { refresh_token: second = '' } = await app.refresh(first)
    expect((await browser.get('/account')).html).toContain(ada.email)

    moveTime(2 * DAY_SECONDS)
    await expect(app.refresh(second)).rejects.toMatchObject({ error: 'invalid_grant' })
    const silent = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('error=login_required')
    expect((await browser.get('/account')).html).not.toContain('href="/account/password"')

    const again = await app.begin()
    const login = await browser.get(again.url)
    const enrol = await browser.submit(login, ada)
    expect(asksToAdd(enrol)).toBe(true)
    expect(canPostpone(enrol)).toBe(false)
    // The form of the code, with the answer of the button that is not there.
    const html = enrol.html.replace('name="code"', 'name="step"')
    const skipped = await browser.submit({ ...enrol, html }, { step: 'skip' })
    expect(asksToAdd(skipped)).toBe(true)
    const codes = await browser.submit(skipped, { code: codeOf(seedOn(skipped)) })
    expect(recoveryCodesOn(codes)).toHaveLength(10)
    const callback = await browser.submit(codes, { step: 'continue' })
    const { claims } = await app.redeem(again, callback)
    expect(claims()?.amr).toEqual(['pwd', 'otp', 'mfa'])
    expect(hasCode(await browser.get((await app.begin({ prompt: 'none' })).url))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('a new user adds a second step in the first login, and one who has a step is asked for that', async () => {
    const { issuer, app, user } = await startWithFactors({ store })
    await using _ = issuer
    await require(issuer, 0)
    const { seed } = await addApp(issuer, user)
    const known = await logIn(issuer, app, ada)
    expect(known.callback.html).not.toContain('A login needs a second step here.')
    expect(hasCode(await known.browser.submit(known.callback, { code: codeOf(seed) }))).toBe(true)

    const bob = { email: 'bob@example.com', password: 'correct horse battery' }
    await issuer.addUser(bob)
    const fresh = await logIn(issuer, app, bob)
    expect(asksToAdd(fresh.callback)).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('on a device that the user trusts, the second step was proven before, also for a silent login', async () => {
    const settings = { rememberDevice: true, rememberDeviceSeconds: 30 * DAY_SECONDS }
    const { issuer, app, user } = await startWithFactors({ store, settings })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const browser = createVisitor(issuer)
    const { callback: form } = await logIn(issuer, app, ada, browser)
    expect(hasCode(await browser.submit(form, { code: codeOf(seed), trust: 'yes' }))).toBe(true)
    await require(issuer, 0)

    const { callback } = await logIn(issuer, app, ada, browser, { prompt: 'login' })
    expect(hasCode(callback)).toBe(true)
    expect(hasCode(await browser.get((await app.begin({ prompt: 'none' })).url))).toBe(true)
    moveTime(31 * DAY_SECONDS)
    const later = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(later.location).toContain('error=login_required')
  })

  test('an application can require it alone, and the earlier day of both holds', async () => {
    const { issuer, app } = await startWithFactors({ store })
    await using _ = issuer
    const strict = await createApplication(issuer.scope, {
      name: 'Payroll',
      metadata: { [KEY]: dayIn(0) },
      loginUrl: '',
      logoutUrls: [],
      redirectUrls: [`${applicationUrl}/callback`],
    })
    const payroll = await createClient(issuer, strict)
    const { browser, callback } = await logIn(issuer, app, ada)
    expect(hasCode(callback)).toBe(true)
    const silent = await browser.get((await payroll.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('error=login_required')
    const form = await browser.get((await payroll.begin()).url)
    expect(asksToAdd(form)).toBe(true)
    expect(hasCode(await browser.get((await app.begin({ prompt: 'none' })).url))).toBe(true)
    await require(issuer, 5)
    expect(asksToAdd(await browser.get((await payroll.begin()).url))).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('it can be required only where users can have one, and settings cannot take the last kind away', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    await require(issuer, 5)
    await expect(
      issuer.changeSettings({ allowTotpApp: false, allowTotpEmail: false }, { [KEY]: dayIn(5) }),
    ).rejects.toThrow('requires a second step, and the settings allow none')
    await expect(issuer.changeSettings({}, { [KEY]: '2026-02-31' })).rejects.toThrow(
      'it must be a day such as 2026-12-31',
    )
  })

  test('an application can require it only where the tenant has one, and the tenant cannot take the last kind away', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const input = (metadata: Record<string, string>) => ({
      ...{ name: 'Payroll', metadata, loginUrl: '', logoutUrls: [] },
      redirectUrls: [`${applicationUrl}/callback`],
    })
    const none = { allowTotpApp: false, allowTotpEmail: false, allowHardware: false }
    const refused = 'requires a second step, and the settings of the tenant allow none'
    await issuer.changeSettings(none)
    await expect(createApplication(issuer.scope, input({ [KEY]: dayIn(9) }))).rejects.toThrow(
      refused,
    )
    const { id } = await createApplication(issuer.scope, input({}))
    const require = (day: string) => updateApplication(issuer.scope, id, input({ [KEY]: day }))
    await expect(require(dayIn(9))).rejects.toThrow(refused)

    await issuer.changeSettings({ ...none, allowTotpApp: true })
    await require(dayIn(9))
    await expect(issuer.changeSettings(none)).rejects.toThrow(
      `The application Payroll (${id}) requires a second step`,
    )
    await updateApplication(issuer.scope, id, input({}))
    await issuer.changeSettings(none)
  })

  test('of a day and of settings without a second step, which are set at the same instant, one is refused', async () => {
    const { issuer } = await startWithFactors({ store })
    await using _ = issuer
    const none = { allowTotpApp: false, allowTotpEmail: false, allowHardware: false }
    const input = { name: 'Payroll', loginUrl: '', logoutUrls: [], redirectUrls: [] }
    const { id } = await createApplication(issuer.scope, { ...input, metadata: {} })
    for (let i = 0; i < 5; i++) {
      await issuer.changeSettings({ ...none, allowTotpApp: true })
      const outcomes = await Promise.allSettled([
        updateApplication(issuer.scope, id, { ...input, metadata: { [KEY]: dayIn(9) } }),
        issuer.changeSettings(none),
      ])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      await updateApplication(issuer.scope, id, { ...input, metadata: {} })
    }
  })
})
