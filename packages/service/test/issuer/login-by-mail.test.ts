import { afterEach, expect, test, vi } from 'vitest'
import { updateCredential } from '../../src/domain/users/credentials.ts'
import { createBrowser, type Page } from './support/browser.ts'
import { createClient } from './support/client.ts'
import {
  addApp,
  allFactors,
  codeOf,
  hasCode,
  MFA,
  mailedCode,
  TWO_STEP,
  wrong,
} from './support/factors.ts'
import { allStoreKinds, movesTheClock, type StoreKind, startIssuer } from './support/issuer.ts'
import { answer, createVirtualKey, giveKey } from './support/keys.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

async function start(store: StoreKind = allStoreKinds[0] as StoreKind, settings = {}) {
  const issuer = await startIssuer({
    store,
    settings: { ...allFactors, allowPasswords: false, ...settings },
  })
  const user = await issuer.addUser({ email: ada.email, password: ada.password })
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  return { issuer, user, app, browser }
}

type Started = Awaited<ReturnType<typeof start>>

/** Asks for a code: the page where it is entered. */
async function ask({ app, browser }: Started, email = ada.email, parameters = {}) {
  const begun = await app.begin(parameters)
  const page = await browser.submit(await browser.get(begun.url), { email })
  return { begun, page }
}

const mainOf = ({ html }: Page) => html.slice(html.indexOf('<main'))

/** A page without what names the login or repeats what was typed. */
const shapeOf = (page: Page, email: string) =>
  mainOf(page)
    .replaceAll(email, 'EMAIL')
    .replace(/value="[\w-]{43}"/g, 'CSRF')
    .replace(/\/login\/[\w-]+/g, '/login/HANDLE')

test.each(allStoreKinds)(
  'on %s, where passwords are off a mailed code logs in, once, and the ID token says no more than that',
  async (store) => {
    const started = await start(store)
    await using issuer = started.issuer
    const { app, browser, user } = started
    const { begun, page } = await ask(started)
    const code = await mailedCode(issuer)
    const callback = await browser.submit(page, { code })
    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ sub: user.id, amr: ['otp'] })
    expect(claims?.acr).toBeUndefined()

    const other = createBrowser(issuer)
    const second = await ask({ ...started, browser: other })
    expect(hasCode(await other.submit(second.page, { code }))).toBe(false)
    expect(hasCode(await browser.submit(page, { code }))).toBe(false)
    expect(issuer.problems).toEqual([])
  },
)

test('an address without an account is answered as one that has one, at every step, and gets no mail', async () => {
  const started = await start()
  await using issuer = started.issuer
  const nobody = 'nobody@example.com'
  const known = await ask(started)
  const [mail] = await issuer.mails()
  const unknown = await ask(started, nobody)
  expect(await issuer.mails()).toEqual([mail])
  expect(unknown.page.status).toBe(known.page.status)
  expect(shapeOf(unknown.page, nobody)).toBe(shapeOf(known.page, ada.email))

  const guess = wrong(await mailedCode(issuer))
  const refused = await Promise.all(
    [known, unknown].map(({ page }) => started.browser.submit(page, { code: guess })),
  )
  const [one, two] = refused as [Page, Page]
  expect([one.status, two.status]).toEqual([422, 422])
  expect(shapeOf(two, nobody)).toBe(shapeOf(one, ada.email))
})

test('a code belongs to the login and the browser that asked for it', async () => {
  const started = await start()
  await using issuer = started.issuer
  const mine = await ask(started)
  const code = await mailedCode(issuer)
  const stranger = createBrowser(issuer)
  const theirs = await ask({ ...started, browser: stranger })
  expect(hasCode(await stranger.submit(theirs.page, { code }))).toBe(false)
  expect(hasCode(await started.browser.submit(mine.page, { code }))).toBe(true)
})

test('five wrong codes end the code, and the right one no longer logs in', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { page } = await ask(started)
  const code = await mailedCode(issuer)
  const answers: Page[] = []
  for (let guess = 0; guess < 6; guess++) {
    answers.push(await started.browser.submit(page, { code: wrong(code) }))
  }
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 429])
  const late = await started.browser.submit(page, { code })
  expect(hasCode(late)).toBe(false)
  expect(late.html).toContain('This code has expired.')
  expect(await issuer.actions()).toContain('login.wrong_code')
})

test('of two hundred guesses at once at a mailed code, five are judged', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { page } = await ask(started)
  const code = await mailedCode(issuer)
  const guesses = Array.from({ length: 200 }, () =>
    started.browser.submitOnly(page, { code: wrong(code) }),
  )
  const judged = (await Promise.all(guesses)).filter(({ html }) => html.includes('code is wrong'))
  expect(judged.length).toBeLessThanOrEqual(5)
  expect(hasCode(await started.browser.submit(page, { code }))).toBe(false)
})

test('a code works for ten minutes, and the newest one alone', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { page } = await ask(started)
  const first = await mailedCode(issuer)
  const again = await started.browser.submit(page, { step: 'send' })
  const newest = await mailedCode(issuer)
  expect(hasCode(await started.browser.submit(again, { code: first }))).toBe(false)
  moveTime(601)
  const late = await started.browser.submit(again, { code: newest })
  expect(late.html).toContain('This code has expired.')
})

test('a login by mail proves the address', async () => {
  const started = await start()
  await using issuer = started.issuer
  await issuer.addUser({ email: 'new@example.com', emailVerified: false })
  const { begun, page } = await ask(started, 'new@example.com')
  const callback = await started.browser.submit(page, { code: await mailedCode(issuer) })
  const claims = (await started.app.redeem(begun, callback)).claims()
  expect(claims).toMatchObject({ email: 'new@example.com', email_verified: true })
})

test('a code that was mailed to an earlier address does not log in', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { page } = await ask(started)
  const code = await mailedCode(issuer)
  await issuer.changeUser(started.user, { email: 'new@example.com', emailVerified: false })
  expect(hasCode(await started.browser.submit(page, { code }))).toBe(false)
  const changed = await issuer.domain.store.users.get(issuer.tenant.id, started.user.id)
  expect(changed?.verifiedAt).toBeUndefined()
})

test('a disabled user gets no code', async () => {
  const started = await start()
  await using issuer = started.issuer
  await issuer.changeUser(started.user, { disabled: true })
  await ask(started)
  expect(await issuer.mails()).toEqual([])
})

test('a user who is disabled after the code was sent does not get in', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { page } = await ask(started)
  await issuer.changeUser(started.user, { disabled: true })
  const refused = await started.browser.submit(page, { code: await mailedCode(issuer) })
  expect(refused.status).toBe(422)
})

test('after a mailed code the user’s authenticator app is asked for, and the two are two steps, not two factors', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { app, browser, user } = started
  const { seed } = await addApp(issuer, user)
  const { begun, page } = await ask(started, ada.email, { acr_values: MFA })
  const factor = await browser.submit(page, { code: await mailedCode(issuer) })
  expect(hasCode(factor)).toBe(false)
  expect(factor.html).not.toContain('kind=totp_email')
  const callback = await browser.submit(factor, { code: codeOf(seed) })
  const claims = (await app.redeem(begun, callback)).claims()
  expect(claims).toMatchObject({ acr: TWO_STEP, amr: ['otp'] })

  // Of the session: the same.
  const silent = await app.begin({ acr_values: TWO_STEP, prompt: 'none' })
  const told = (await app.redeem(silent, await browser.get(silent.url))).claims()
  expect(told).toMatchObject({ acr: TWO_STEP, amr: ['otp'] })
  expect(
    hasCode(await browser.get((await app.begin({ acr_values: MFA, prompt: 'none' })).url)),
  ).toBe(true)
})

test('a step-up of a login by mail adds the app, and says two steps', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { app, browser, user } = started
  const { page } = await ask(started)
  expect(hasCode(await browser.submit(page, { code: await mailedCode(issuer) }))).toBe(true)
  const { seed } = await addApp(issuer, user)
  const begun = await app.begin({ acr_values: TWO_STEP })
  const callback = await browser.submit(await browser.get(begun.url), { code: codeOf(seed) })
  expect((await app.redeem(begun, callback)).claims()).toMatchObject({
    acr: TWO_STEP,
    amr: ['otp'],
  })
})

test('with passkeys allowed, the page offers both, and a user who has a passkey is asked for it after a mailed code', async () => {
  const started = await start(undefined, { allowHardware: true })
  await using issuer = started.issuer
  const key = createVirtualKey()
  await giveKey(issuer, started.user, key)
  const { app, browser } = started
  const begun = await app.begin()
  const form = await browser.get(begun.url)
  expect(form.html).toContain('Log in with a passkey')
  const page = await browser.submit(form, { email: ada.email })
  const factor = await browser.submit(page, { code: await mailedCode(issuer) })
  const callback = await answer(issuer, browser, factor, key)
  expect((await app.redeem(begun, callback)).claims()).toMatchObject({
    acr: TWO_STEP,
    amr: ['otp', 'swk', 'user'],
  })
})

test('a user who logs in by mail adds a first passkey on the account page', async () => {
  const started = await start(undefined, { allowHardware: true })
  await using issuer = started.issuer
  const { browser } = started
  const login = await browser.get('/account/security')
  const page = await browser.submit(login, { email: ada.email })
  const security = await browser.submit(page, { code: await mailedCode(issuer) })
  expect(security.html).toContain('/account/security/add?kind=hardware')
  expect(security.html).not.toContain('kind=totp_email')
})

test.each([
  ['passwords are on', { allowPasswords: true }],
  ['codes by mail are off', { allowTotpEmail: false, allowHardware: true }],
])('where %s, no code is mailed for the first step', async (_, settings) => {
  const started = await start()
  await using issuer = started.issuer
  const form = await started.browser.get((await started.app.begin()).url)
  await issuer.changeSettings(settings)
  expect((await started.browser.submit(form, { email: ada.email })).status).toBe(404)
  const again = await started.browser.get((await started.app.begin()).url)
  expect(again.html).not.toContain('Send the code')
  expect(await issuer.mails()).toEqual([])
})

test('a login that began with a mailed code before passwords were switched on ends as it began', async () => {
  const started = await start()
  await using issuer = started.issuer
  const { seed } = await addApp(issuer, started.user)
  const { page } = await ask(started)
  const factor = await started.browser.submit(page, { code: await mailedCode(issuer) })
  await issuer.changeSettings({ allowPasswords: true })
  expect(hasCode(await started.browser.submit(factor, { code: codeOf(seed) }))).toBe(true)
})

test('a disabled password does not keep its user from logging in by mail', async () => {
  const started = await start()
  await using issuer = started.issuer
  const change = { disabled: true, metadata: {} }
  await updateCredential(issuer.scope, started.user.id, 'password', change as never)
  const { page } = await ask(started)
  expect(hasCode(await started.browser.submit(page, { code: await mailedCode(issuer) }))).toBe(true)
})
