import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import { ada } from './support/apis.ts'
import { createBrowser } from './support/browser.ts'
import { confirm, createDevice, DEVICE_GRANT, enterCode } from './support/devices.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

// Logins on devices without a browser (RFC 8628).

describe.each(storeKinds)('on %s', (store) => {
  test('a user logs in on a device by entering its code in a browser, and the device refreshes', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    expect(begun).toMatchObject({
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${issuer.url}/device`,
      verification_uri_complete: `${issuer.url}/device?user_code=${begun.user_code}`,
      expires_in: 600,
    })
    expect(await device.poll(begun)).toBe('authorization_pending')

    const done = await confirm(issuer, begun)

    expect(done.status).toBe(200)
    expect(done.html).toContain('Notes for televisions')
    const tokens = await device.poll(begun)
    if (typeof tokens === 'string') throw new Error(tokens)
    expect(tokens.claims()).toMatchObject({ email: ada.email, aud: device.application.id })
    const refreshed = await device.refresh(tokens.refresh_token)
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    const user = await client.fetchUserInfo(
      device.config,
      refreshed.access_token,
      tokens.claims()?.sub ?? '',
    )
    expect(user.email).toBe(ada.email)
    expect(await issuer.actions()).toEqual(
      expect.arrayContaining(['login.succeeded', 'consent.granted']),
    )
  })
})

test('discovery names the endpoint and the grant', async () => {
  await using issuer = await startIssuer()
  const { config } = await createDevice(issuer)
  expect(config.serverMetadata()).toMatchObject({
    device_authorization_endpoint: `${issuer.url}/oidc/device`,
    grant_types_supported: expect.arrayContaining([DEVICE_GRANT]),
  })
})

test('a code is accepted in small letters, with spaces and without its hyphen', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const { user_code: code } = await device.begin()
  const page = await enterCode(issuer, ` ${code.toLowerCase().replace('-', ' ')} `)
  expect(page.html).toContain(code)
  expect(page.html).toContain('value="allow"')
})

test('the complete address fills in the code, and everything is asked all the same', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const begun = await device.begin()
  const browser = createBrowser(issuer)
  await confirm(issuer, await device.begin(), 'allow', browser)

  const page = await browser.get(begun.verification_uri_complete ?? '')

  expect(page.html).toContain(`value="${begun.user_code}"`)
  expect(page.html).not.toContain('<script')
  const asked = await browser.submit(page, {})
  expect(asked.html).toContain('value="allow"')
  expect(await device.poll(begun)).toBe('authorization_pending')
})

test.each([
  ['its network begins too many logins', 6, 429],
  ['the store is down', 600, 503],
])('a code that is entered while %s can be entered again', async (_, loginsPerMinute, status) => {
  let isDown = false
  const wrap = (inner: ProtocolStore): ProtocolStore => ({
    ...inner,
    async write(changes) {
      const isLogin = changes.some((one) => one.kind === 'put' && one.entry.kind === 'Interaction')
      if (isDown && isLogin) throw new StoreError('database or disk is full')
      return inner.write(changes)
    },
  })
  const options = { wrap, requestLimits: { loginsPerMinute }, trustedProxies: ['127.0.0.1'] }
  // In one process, because each counts the logins of a network by itself.
  await using issuer = await startIssuer({ ...options, store: 'memory' })
  await issuer.addUser(ada)
  const device = await createDevice(issuer)
  const begun = await device.begin()
  const browser = createBrowser(issuer)
  browser.headers['x-forwarded-for'] = '203.0.113.9'
  let form = await browser.get('/device')
  for (let n = 1; n < 6; n++) form = await browser.get('/device')

  isDown = status === 503
  const failed = await browser.submit(form, { user_code: begun.user_code })
  isDown = false

  expect(failed.status).toBe(status)
  expect(failed.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await device.poll(begun)).toBe('authorization_pending')
  await confirm(issuer, begun)
  expect(await device.poll(begun)).toMatchObject({ access_token: expect.any(String) })
})
