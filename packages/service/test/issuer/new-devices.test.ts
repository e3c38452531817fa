import { afterEach, describe, expect, test, vi } from 'vitest'
import { createVisitor, trustedProxies } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { hasCode, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock, type StoreKind, type TestIssuer } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const password = 'another fine long one'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function start(store: StoreKind) {
  const world = await startWithFactors({ store, trustedProxies })
  const { issuer, app } = world
  async function logInWith(userAgent = FIREFOX, browser = createVisitor(issuer), known = ada) {
    browser.headers['user-agent'] = userAgent
    const { callback } = await logIn(issuer, app, known, browser, { prompt: 'login' })
    moveTime(10)
    expect(hasCode(callback)).toBe(true)
    return browser
  }
  return { ...world, logInWith }
}

async function told(issuer: TestIssuer) {
  const mails = await issuer.mails()
  return mails.filter(({ subject }) => subject === 'A new login to your account at Acme')
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('a login on a new device is told to the user, once, and neither the first login nor one on a known device', async () => {
    const { issuer, logInWith } = await start(store)
    await using _ = issuer
    const first = await logInWith()
    expect(await told(issuer)).toEqual([])
    const second = await logInWith()
    const [mail, ...more] = await told(issuer)
    expect([mail?.to, more]).toEqual([ada.email, []])
    expect(mail?.text).toContain('a browser that we did not know: Firefox on Linux.')
    for (const browser of [first, second]) await logInWith(FIREFOX, browser)
    expect(await told(issuer)).toHaveLength(1)
    expect(issuer.problems).toEqual([])
  })

  test('the link takes back what an intruder has added since the login, and the password that was known', async () => {
    const { issuer, app, logInWith } = await start(store)
    await using _ = issuer
    await logInWith()
    const intruder = await logInWith()
    const [mail] = await told(issuer)
    const anywhere = createVisitor(issuer)
    const done = await anywhere.submit(await anywhere.get(mail?.link ?? ''))
    expect(done.html).toContain('We have sent a message to ada@example.com')

    expect((await intruder.get('/account')).html).toContain('name="password"')
    expect(hasCode((await logIn(issuer, app, ada, createVisitor(issuer))).callback)).toBe(false)
    const [reset] = (await issuer.mails()).filter(({ link }) => link?.includes('/reset?'))
    moveTime(1)
    await anywhere.submit(await anywhere.get(reset?.link ?? ''), { password })
    expect(
      hasCode((await logIn(issuer, app, { ...ada, password }, createVisitor(issuer))).callback),
    ).toBe(true)
  })

  test('an address that was never proven gets no message, nor does anyone where the tenant does not want it', async () => {
    const { issuer, logInWith } = await start(store)
    await using _ = issuer
    await issuer.changeSettings({}, { latchkey_new_device_mail: 'false' })
    for (let logins = 0; logins < 2; logins++) await logInWith()
    expect(await told(issuer)).toEqual([])

    await issuer.changeSettings({ allowUnverified: true }, {})
    const eve = { email: 'eve@example.com', password }
    await issuer.addUser({ ...eve, emailVerified: false })
    for (let logins = 0; logins < 2; logins++) {
      await logInWith(FIREFOX, createVisitor(issuer), eve)
    }
    expect(await told(issuer)).toEqual([])
  })

  test('a program that logs in without cookies gets ten messages a day, and the words of a stranger are in none', async () => {
    const { issuer, logInWith } = await start(store)
    await using _ = issuer
    for (let logins = 0; logins < 14; logins++) {
      await logInWith('Visit evil.example to confirm/1.0 x')
    }
    const mails = await told(issuer)
    expect(mails).toHaveLength(10)
    expect(mails[0]?.text).toContain('Unknown browser')
    expect(mails.some(({ text }) => text.includes('evil'))).toBe(false)
    moveTime(86_400)
    await logInWith()
    expect(await told(issuer)).toHaveLength(11)
  })
})
