import { afterEach, describe, expect, test, vi } from 'vitest'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { defaultLimits } from '../../src/domain/limits/limits.ts'
import { ada } from './support/apis.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { confirm, createDevice, type Device, enterCode } from './support/devices.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { allStoreKinds, movesTheClock, startIssuer, type TestIssuer } from './support/issuer.ts'
import { moveTime } from './support/token-endpoint.ts'

// Attacks on the logins of devices (RFC 8628 §5).

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const bob = { email: 'bob@example.com', password: ada.password }
const allowed = { latchkey_client: 'public', latchkey_device_login: 'allowed' }

/** Tokens, or a failure of the test. */
function tokensOf(polled: Awaited<ReturnType<Device['poll']>>) {
  if (typeof polled === 'string') throw new Error(`The device got ${polled}.`)
  return polled
}

function changeMetadata(issuer: TestIssuer, { application }: Device, metadata: object) {
  const { name, loginUrl, logoutUrls, redirectUrls } = application
  const input = { name, loginUrl, logoutUrls, redirectUrls, metadata: { ...metadata } }
  return updateApplication(issuer.scope, application.id, input)
}

const isQuestion = (page: Page) => page.html.includes('value="allow"')

describe.each(allStoreKinds)('on %s', (store) => {
  const start = (options: Parameters<typeof startIssuer>[0] = {}) =>
    startIssuer({ store, passwords: instantPasswords, ...options })

  test('guesses of codes are bounded for each network, and not for others', async () => {
    const limits = { userCodePerClient: { ...defaultLimits.userCodePerClient, free: 3 } }
    await using issuer = await start({ trustedProxies: ['127.0.0.1'], limits })
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const guesser = createBrowser(issuer)
    guesser.headers['x-forwarded-for'] = '203.0.113.9'
    const statuses: number[] = []
    for (const letter of ['B', 'C', 'D', 'F']) {
      statuses.push((await enterCode(issuer, `BBBB-BBB${letter}`, guesser)).status)
    }
    const right = await enterCode(issuer, begun.user_code, guesser)

    expect([...statuses, right.status]).toEqual([422, 422, 422, 429, 429])
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await issuer.actions()).toContain('limit.user_code_client')
    const other = createBrowser(issuer)
    other.headers['x-forwarded-for'] = '198.51.100.1'
    expect(isQuestion(await enterCode(issuer, begun.user_code, other))).toBe(true)
  })

  test('guesses of codes from many networks are bounded for the tenant', async () => {
    const limits = { userCodePerTenant: { ...defaultLimits.userCodePerTenant, free: 3 } }
    await using issuer = await start({ trustedProxies: ['127.0.0.1'], limits })
    const statuses: number[] = []
    for (const network of [1, 2, 3, 4]) {
      const guesser = createBrowser(issuer)
      guesser.headers['x-forwarded-for'] = `203.0.${network}.9`
      statuses.push(
        (await enterCode(issuer, `BBBB-BBB${['B', 'C', 'D', 'F'][network - 1]}`, guesser)).status,
      )
    }
    expect(statuses).toEqual([422, 422, 422, 429])
    expect(await issuer.actions()).toContain('limit.user_code_tenant')
  })

  test('a code is good for one answer, and gives tokens once', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    await confirm(issuer, begun)

    const again = await enterCode(issuer, begun.user_code)
    expect([again.status, isQuestion(again)]).toEqual([422, false])
    const tokens = tokensOf(await device.poll(begun))
    expect(await device.poll(begun)).toBe('invalid_grant')
    // Somebody else has the code of the device: what it gave is revoked.
    await expect(device.refresh(tokens.refresh_token)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('of many polls at once after the confirmation, at most one gets tokens', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    await confirm(issuer, begun)
    const polled = await Promise.all(Array.from({ length: 8 }, () => device.poll(begun)))
    expect(polled.filter((one) => typeof one !== 'string').length).toBe(1)
    expect(new Set(polled.filter((one) => typeof one === 'string'))).toEqual(
      new Set(['invalid_grant']),
    )
  })

  test('of two users who confirm at once, one logs the device in', async () => {
    await using issuer = await start()
    const users = [await issuer.addUser(ada), await issuer.addUser(bob)]
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const browsers = [ada, bob].map((user) => ({ user, browser: createBrowser(issuer) }))
    const pages = await Promise.all(
      browsers.map(({ user, browser }) => enterCode(issuer, begun.user_code, browser, user)),
    )
    expect(pages.map(isQuestion)).toEqual([true, true])
    const [polled] = await Promise.all([
      device.poll(begun),
      ...browsers.map(({ browser }, at) => browser.submit(pages[at] as Page, { answer: 'allow' })),
    ])

    const tokens = typeof polled === 'string' ? tokensOf(await device.poll(begun)) : polled
    expect(users.map(({ id }) => id)).toContain(tokens.claims()?.sub)
    expect(await device.poll(begun)).toBe('invalid_grant')
  })

  test.each([
    ['allowed', 'allow', 'deny', 'tokens'],
    ['denied', 'deny', 'allow', 'access_denied'],
    ['denied', 'deny', 'deny', 'access_denied'],
  ] as const)(
    'once a code is %s (%s), a browser that answers %s is told that it was used',
    async (_, before, after, outcome) => {
      await using issuer = await start()
      await issuer.addUser(ada)
      const device = await createDevice(issuer)
      const begun = await device.begin()
      const browser = createBrowser(issuer)
      const question = await enterCode(issuer, begun.user_code, browser)
      await confirm(issuer, begun, before)

      const late = await browser.submit(question, { answer: after })
      expect([late.status, late.html]).toEqual([422, expect.stringContaining('was used already')])
      const polled = await device.poll(begun)
      expect(typeof polled === 'string' ? polled : 'tokens').toBe(outcome)
    },
  )

  test('of allowing and denying at once, one holds', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const answers = ['allow', 'deny'] as const
    const browsers = answers.map(() => createBrowser(issuer))
    const pages: Page[] = []
    for (const browser of browsers) pages.push(await enterCode(issuer, begun.user_code, browser))
    await Promise.all(
      answers.map((answer, at) => browsers[at]?.submit(pages[at] as Page, { answer })),
    )

    const polled = await device.poll(begun)
    expect(typeof polled === 'string' ? polled : 'tokens').toMatch(/^(access_denied|tokens)$/)
    expect(await device.poll(begun)).toBe('invalid_grant')
  })

  test('a denied code gives no tokens, and the log says so', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    await confirm(issuer, begun, 'deny')
    expect(await device.poll(begun)).toBe('access_denied')
    const [entry] = (await issuer.audit()).filter(({ action }) => action === 'consent.denied')
    expect(entry).toMatchObject({ applicationId: device.application.id })
  })

  test('a device that asks too often is told to slow down, and may go on after that', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const early = [await device.poll(begun), await device.poll(begun)]
    moveTime(5)
    const late = await device.poll(begun)
    expect([...early, late]).toEqual([
      'authorization_pending',
      'slow_down',
      'authorization_pending',
    ])
  })

  test('the codes of a device are of no use to another client, nor at another tenant', async () => {
    await using issuer = await start()
    await using other = await start()
    await issuer.addUser(ada)
    await other.addUser(ada)
    const [device, stranger] = [await createDevice(issuer), await createDevice(issuer)]
    const abroad = await createDevice(other)
    const begun = await device.begin()

    expect(await stranger.poll(begun)).toBe('invalid_grant')
    expect(await abroad.poll(begun)).toBe('invalid_grant')
    expect(isQuestion(await enterCode(other, begun.user_code))).toBe(false)
    await confirm(issuer, begun)
    expect(await stranger.poll(begun)).toBe('invalid_grant')
    expect(tokensOf(await device.poll(begun)).access_token).toBeDefined()
  })

  test('a disabled user logs no device in, not even when disabled after the confirmation', async () => {
    await using issuer = await start()
    const user = await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const [confirmed, entered] = [await device.begin(), await device.begin()]
    await confirm(issuer, confirmed)
    await issuer.changeUser(user, { disabled: true })

    expect(await device.poll(confirmed)).toBe('invalid_grant')
    const page = await enterCode(issuer, entered.user_code)
    expect(isQuestion(page)).toBe(false)
    expect(await device.poll(entered)).toBe('authorization_pending')
  })

  test('a withdrawn access ends refreshes of the device at once', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const browser = createBrowser(issuer)
    await confirm(issuer, begun, 'allow', browser)
    const tokens = tokensOf(await device.poll(begun))
    const second = await device.begin()
    await confirm(issuer, second, 'allow', browser)

    expect((await browser.get('/account')).html).toContain('href="/account/access"')
    const page = await browser.get('/account/access')
    expect(page.html).toContain('Notes for televisions')
    const id = /name="withdraw" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    await browser.submit(page, { withdraw: id })

    await expect(device.refresh(tokens.refresh_token)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(await device.poll(second)).toBe('invalid_grant')
    expect(await issuer.actions()).toContain('consent.withdrawn')
  })

  test('a withdrawn access ends the tokens of the device for good, also after a new consent', async () => {
    await using issuer = await start()
    const user = await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const other = await createDevice(issuer)
    const begin = async ({ begin }: Device, browser: Browser) => {
      const begun = await begin({ scope: 'openid' })
      await confirm(issuer, begun, 'allow', browser)
      return begun
    }
    const browser = createBrowser(issuer)
    const polled = tokensOf(await device.poll(await begin(device, browser)))
    const unpolled = await begin(device, browser)
    const ofOther = tokensOf(await other.poll(await begin(other, browser)))
    const status = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await issuer.fetch(`${issuer.url}/oidc/userinfo`, { headers })).status
    }
    expect(await status(polled.access_token)).toBe(200)

    const { scope, support, tenant } = issuer
    const { clients } = await support.stateOf(tenant, user, [])
    const given = clients.find(({ clientId }) => clientId === device.application.id)
    await support.withdrawAccess(scope, user.id, given?.id ?? '')
    expect(await status(polled.access_token)).toBe(401)
    const again = tokensOf(await device.poll(await begin(device, browser)))

    expect(await status(again.access_token)).toBe(200)
    expect(await status(polled.access_token)).toBe(401)
    expect(await device.poll(unpolled)).toBe('invalid_grant')
    expect(await status(ofOther.access_token)).toBe(200)
  })

  test('a setting that is switched off ends the logins of devices, at every step', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const [done, confirmed, entered, begun] = [
      await device.begin(),
      await device.begin(),
      await device.begin(),
      await device.begin(),
    ]
    await confirm(issuer, done)
    const tokens = tokensOf(await device.poll(done))
    await confirm(issuer, confirmed)
    const browser = createBrowser(issuer)
    const question = await enterCode(issuer, entered.user_code, browser)
    await changeMetadata(issuer, device, { latchkey_client: 'public' })

    await expect(device.begin()).rejects.toMatchObject({ error: 'unauthorized_client' })
    expect(await device.poll(confirmed)).toBe('unauthorized_client')
    expect((await browser.submit(question, { answer: 'allow' })).status).toBe(400)
    expect(isQuestion(await enterCode(issuer, begun.user_code))).toBe(false)
    await expect(device.refresh(tokens.refresh_token)).rejects.toThrow()
    await changeMetadata(issuer, device, allowed)
    expect(await device.poll(entered)).toBe('unauthorized_client')
  })

  test('a setting that is switched on again makes tokens of devices valid again, except withdrawn ones', async () => {
    await using issuer = await start()
    const user = await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    await confirm(issuer, begun)
    const first = tokensOf(await device.poll(begun))
    const off = { latchkey_client: 'public' }

    await changeMetadata(issuer, device, off)
    await expect(device.refresh(first.refresh_token)).rejects.toThrow()
    await changeMetadata(issuer, device, allowed)
    const second = await device.refresh(first.refresh_token)
    expect(second.access_token).toBeDefined()

    await changeMetadata(issuer, device, off)
    const { scope, support, tenant } = issuer
    const { clients } = await support.stateOf(tenant, user, [])
    const given = clients.find(({ clientId }) => clientId === device.application.id)
    await support.withdrawAccess(scope, user.id, given?.id ?? '')
    await changeMetadata(issuer, device, allowed)
    await expect(device.refresh(second.refresh_token)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('an expired code is refused on the page, and the device is told so', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const browser = createBrowser(issuer)
    const question = await enterCode(issuer, begun.user_code, browser)
    moveTime(601)
    expect((await browser.submit(question, { answer: 'allow' })).status).toBe(422)
    expect((await enterCode(issuer, begun.user_code)).html).toContain('has expired')
    expect(await device.poll(begun)).toBe('expired_token')
  })

  test('the store has neither the code of the device nor that of its user', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    await enterCode(issuer, begun.user_code)
    const dump = await issuer.dumpProtocol()
    expect(dump).toContain('DeviceCode')
    expect(dump).not.toContain(begun.device_code)
    expect(dump).not.toContain(begun.user_code.replace('-', ''))
  })

  test('a device and the browser that has confirmed it do not end each other', async () => {
    await using issuer = await start()
    await issuer.addUser(ada)
    const metadata = { latchkey_device_login: 'allowed' }
    const device = await createDevice(issuer, metadata)
    const application = await issuer.domain.store.applications.get(
      issuer.tenant.id,
      device.application.id,
    )
    if (!application) throw new Error('The application is gone.')
    await updateApplication(issuer.scope, application.id, {
      ...application,
      redirectUrls: ['http://localhost:3000/callback'],
    })
    const shop = await createClient(issuer, { ...application, redirectUrls: [] })
    const {
      begun: login,
      callback,
      browser,
    } = await logIn(issuer, shop, ada, undefined, {
      scope: 'openid offline_access',
    })
    const ofBrowser = await shop.redeem(login, callback)
    const [first, second] = [await device.begin(), await device.begin({ scope: 'openid' })]
    await confirm(issuer, first, 'allow', browser)
    await confirm(issuer, second, 'allow', browser)
    const ofDevice = tokensOf(await device.poll(first))
    expect(tokensOf(await device.poll(second)).refresh_token).toBeUndefined()

    // A stolen token of the one that is used twice.
    await device.refresh(ofDevice.refresh_token)
    expect((await shop.refresh(ofBrowser.refresh_token ?? '')).access_token).toBeDefined()
  })
})

test('the form for codes cannot be sent from elsewhere', async () => {
  await using issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const begun = await device.begin()
  const browser = createBrowser(issuer)
  const body = new URLSearchParams({ user_code: begun.user_code, confirm: 'yes', xsrf: 'guess' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const unasked = await browser.send('/device', { method: 'POST', headers, body: body.toString() })
  const page = await browser.get('/device')
  const wrong = await browser.send('/device', { method: 'POST', headers, body: body.toString() })

  expect([unasked.status, wrong.status]).toEqual([400, 400])
  for (const { headers: sent } of [page, unasked]) {
    expect(sent.get('content-security-policy')).toContain("frame-ancestors 'none'")
  }
  expect(await device.poll(begun)).toBe('authorization_pending')
  expect(issuer.problems).toEqual([])
})

test('the question is answered by its own form alone', async () => {
  await using issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const begun = await device.begin()
  const browser = createBrowser(issuer)
  const page = await enterCode(issuer, begun.user_code, browser)
  const post = (target: typeof browser, more: Record<string, string> = {}) =>
    target.send(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...more },
      body: 'answer=allow',
    })

  expect((await post(browser)).status).toBe(403)
  expect((await browser.submitOnly(page, { answer: 'allow', csrf: 'x' })).status).toBe(403)
  expect((await post(browser, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await post(createBrowser(issuer))).status).toBeGreaterThanOrEqual(300)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(await device.poll(begun)).toBe('authorization_pending')
})

test('a name cannot trick the reader of the question', async () => {
  await using issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  const device = await createDevice(issuer, allowed, `\u202eTV\u2028<b>${'x'.repeat(80)}`)
  const { html } = await enterCode(issuer, (await device.begin()).user_code)
  expect(html).not.toContain('\u202e')
  expect(html).not.toContain('<b>')
  expect(html).toContain('…')
})

test('a user who is logged in is asked each time, and a program without the setting is refused', async () => {
  await using issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const browser = createBrowser(issuer)
  for (const _ of [1, 2]) {
    const begun = await device.begin()
    const page = await enterCode(issuer, begun.user_code, browser)
    expect(isQuestion(page)).toBe(true)
    await browser.submit(page, { answer: 'allow' })
  }
  const other = await createDevice(issuer, { latchkey_client: 'public' })
  await expect(other.begin()).rejects.toMatchObject({
    error: 'unauthorized_client',
    error_description: expect.stringContaining('latchkey_device_login'),
  })
})

test('a code that was typed and left can be typed again', async () => {
  await using issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const begun = await device.begin()
  await enterCode(issuer, begun.user_code)
  await confirm(issuer, begun)
  expect(tokensOf(await device.poll(begun)).access_token).toBeDefined()
})

test('the setting does not go with FAPI 2.0, nor with another value', async () => {
  await using issuer = await startIssuer()
  await expect(createDevice(issuer, { latchkey_device_login: 'yes' })).rejects.toMatchObject({
    code: 'invalid_metadata',
  })
  await expect(
    createDevice(issuer, { latchkey_device_login: 'allowed', latchkey_profile: 'fapi2' }),
  ).rejects.toThrow('latchkey_device_login')
})
