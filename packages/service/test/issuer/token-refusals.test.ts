import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTenant } from '../../src/domain/tenants/tenants.ts'
import { applicationUrl, movesTheClock, startIssuer, storeKinds } from './support/issuer.ts'
import { spendTogether } from './support/spend-together.ts'
import { ada, moveTime, obtainCode, post } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

describe.each(storeKinds)('on %s', (store) => {
  test('a code is good once; a second use revokes the tokens of the first (RFC 6749 §4.1.2)', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const { app, form } = await obtainCode(issuer, { scope: 'openid offline_access' })
    const first = await post(issuer, issuer.application, 'token', form)
    expect(first.status).toBe(200)

    const replay = await post(issuer, issuer.application, 'token', form)
    expect(replay).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    await expect(
      client.fetchUserInfo(app.config, first.body.access_token ?? '', user.id),
    ).rejects.toMatchObject({ status: 401 })
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token ?? '' }
    expect((await post(issuer, issuer.application, 'token', refresh)).body.error).toBe(
      'invalid_grant',
    )
  })

  test('of four parallel redemptions of one code exactly one wins', async () => {
    await using issuer = await startIssuer({ store, wrap: spendTogether('AuthorizationCode', 4) })
    await issuer.addUser(ada)
    const { form } = await obtainCode(issuer)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(issuer, issuer.application, 'token', form)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(3)
  })

  test('a refresh token rotates, and using an old one again revokes the family (RFC 9700 §4.14)', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
    const first = await app.redeem(begun, callback)
    const second = await client.refreshTokenGrant(app.config, first.refresh_token ?? '')
    expect(second.refresh_token).not.toBe(first.refresh_token)
    // Until then it counts as a repetition: see repeated-refresh.test.ts.
    moveTime(31)

    await expect(
      client.refreshTokenGrant(app.config, first.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(
      client.refreshTokenGrant(app.config, second.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('a revoked refresh token and its access token stop working (RFC 7009 §2.1)', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
    const tokens = await app.redeem(begun, callback)
    const revoked = await post(issuer, issuer.application, 'revoke', {
      token: tokens.refresh_token ?? '',
    })
    expect(revoked.status).toBe(200)
    await expect(
      client.refreshTokenGrant(app.config, tokens.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(
      client.fetchUserInfo(app.config, tokens.access_token, user.id),
    ).rejects.toMatchObject({ status: 401 })
  })

  test('no token, code or secret is in the store in clear text', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { app, begun, callback, code, browser } = await obtainCode(issuer, {
      scope: 'openid offline_access',
    })
    const tokens = await app.redeem(begun, callback)
    await browser.get((await app.begin({ prompt: 'login' })).url)
    await browser.submit(await browser.get('/reset'), { email: ada.email })
    const secrets = [
      code,
      tokens.access_token,
      tokens.refresh_token ?? '',
      new URL(await issuer.lastLink()).searchParams.get('token') ?? '',
      ...browser
        .cookies()
        .filter(({ name }) => name !== 'latchkey-application')
        .map((c) => c.value),
    ]
    const dump = await issuer.dumpProtocol()
    expect(dump.length).toBeGreaterThan(500)
    expect(secrets.length).toBeGreaterThan(5)
    for (const secret of secrets) expect(dump).not.toContain(secret)
  })
})

test.each([
  ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
  ['no verifier', { code_verifier: undefined }],
  ['another redirect URI', { redirect_uri: `${applicationUrl}/callback/` }],
])('a code is refused with %s (RFC 6749 §4.1.3, RFC 7636 §4.6)', async (_what, changes) => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const sent = Object.entries({ ...form, ...changes }).filter(([, value]) => value !== undefined)
  const answer = await post(issuer, issuer.application, 'token', Object.fromEntries(sent) as never)
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a token request without a redirect URI is refused (OpenID Connect Core §3.1.3.2)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const { redirect_uri: _, ...rest } = form
  const answer = await post(issuer, issuer.application, 'token', rest)
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
})

test('a code is refused from another application (RFC 6749 §4.1.3)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const other = await issuer.addApplication({ name: 'Other' })
  const { form } = await obtainCode(issuer)
  expect(await post(issuer, other, 'token', form)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  expect((await post(issuer, issuer.application, 'token', form)).status).toBe(200)
})

test('a refresh token is refused from another application, and not revoked by it (RFC 6749 §6, RFC 7009 §2.1)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const other = await issuer.addApplication({ name: 'Other' })
  const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
  const { refresh_token: token = '' } = await app.redeem(begun, callback)
  const form = { grant_type: 'refresh_token', refresh_token: token }
  expect((await post(issuer, other, 'token', form)).body.error).toBe('invalid_grant')
  await post(issuer, other, 'revoke', { token })
  expect((await post(issuer, issuer.application, 'token', form)).status).toBe(200)
})

test('a code expires after a minute', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  moveTime(61)
  expect((await post(issuer, issuer.application, 'token', form)).body.error).toBe('invalid_grant')
})

test('a wrong client secret, an unknown application and none at all are refused with 401 (RFC 6749 §5.2)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const wrong = await post(issuer, issuer.application, 'token', form, {
    authorization: basic(`${issuer.application.id}:wrong`),
  })
  const unknown = await post(issuer, issuer.application, 'token', form, {
    authorization: basic('app_unknown:wrong'),
  })
  expect(wrong).toEqual({ ...unknown, status: 401 })
  expect(wrong.body).toEqual({
    error: 'invalid_client',
    error_description: 'client authentication failed',
  })
})

test('an application may send its secret in the body, but not both ways (RFC 6749 §2.3.1)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const { id } = issuer.application
  const inBody = { client_id: id, client_secret: issuer.secretOf(issuer.application) }
  const both = await post(issuer, issuer.application, 'token', { ...form, ...inBody })
  expect(both.body.error).toBe('invalid_request')
  const answer = await issuer.fetch(`${issuer.url}/oidc/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form, ...inBody }).toString(),
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test.each(['password', 'urn:ietf:params:oauth:grant-type:token-exchange'])(
  'the grant type "%s" is refused',
  async (grantType) => {
    await using issuer = await startIssuer()
    const answer = await post(issuer, issuer.application, 'token', { grant_type: grantType })
    expect(answer.body.error).toBe('unsupported_grant_type')
  },
)

test.each([
  ['no grant type', { grant_type: undefined }, 'invalid_request'],
  ['no code', { code: undefined }, 'invalid_request'],
  ['an unknown code', { code: 'x'.repeat(43) }, 'invalid_grant'],
  ['a verifier that is too short (RFC 7636 §4.1)', { code_verifier: 'short' }, 'invalid_request'],
])('a token request with %s is refused (RFC 6749 §5.2)', async (_what, changes, error) => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const sent = Object.entries({ ...form, ...changes }).filter(([, value]) => value !== undefined)
  const answer = await post(issuer, issuer.application, 'token', Object.fromEntries(sent) as never)
  expect(answer).toMatchObject({ status: 400, body: { error } })
})

test('a token request with a parameter twice, by GET, or as JSON is refused (RFC 6749 §3.2)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer)
  const body = new URLSearchParams(form)
  const twice = await post(issuer, issuer.application, 'token', form, {}, `${body}&code=again`)
  expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  const byGet = await issuer.fetch(`${issuer.url}/oidc/token?${body}`)
  expect(byGet.status).toBe(405)
  const type = { 'content-type': 'application/json' }
  const json = JSON.stringify(form)
  const asJson = await post(issuer, issuer.application, 'token', form, type, json)
  expect(asJson).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect((await post(issuer, issuer.application, 'token', form)).status).toBe(200)
})

test('a refresh asks for no more than was granted (RFC 6749 §6)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
  const { refresh_token: token = '' } = await app.redeem(begun, callback)
  const more = { grant_type: 'refresh_token', refresh_token: token, scope: 'openid email' }
  const answer = await post(issuer, issuer.application, 'token', more)
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
})

test('a refresh token that is not used expires after thirty days', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
  const { refresh_token: token = '' } = await app.redeem(begun, callback)
  moveTime(29 * 86_400)
  const form = { grant_type: 'refresh_token', refresh_token: token }
  const { body } = await post(issuer, issuer.application, 'token', form)
  moveTime(30 * 86_400 + 60)
  const late = { ...form, refresh_token: body.refresh_token ?? '' }
  expect(body.refresh_token).toBeTruthy()
  expect((await post(issuer, issuer.application, 'token', late)).body.error).toBe('invalid_grant')
})

test('offline access ends a year after it was given, however often it is used', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
  let token = (await app.redeem(begun, callback)).refresh_token ?? ''
  const refresh = async () => {
    moveTime(29 * 86_400)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    const { body } = await post(issuer, issuer.application, 'token', form)
    token = body.refresh_token ?? ''
    return body
  }
  for (let months = 1; months <= 12; months++) expect((await refresh()).error).toBeUndefined()
  expect((await refresh()).error).toBe('invalid_grant')
})

test('a code, token or session of one tenant is not valid at another', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, form, begun, callback, browser } = await obtainCode(issuer)
  const { access_token: token } = await app.redeem(begun, callback)
  const domain = `other.localhost:${issuer.port}`
  const settings = { ...issuer.tenant.settings, domain }
  await createTenant(issuer.scope, { name: '', metadata: {}, settings })
  const elsewhere = `http://${domain}/oidc`
  const userinfo = await issuer.fetch(`${elsewhere}/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(userinfo.status).toBe(401)
  const cookie = browser.cookies().map(({ name, value }) => `${name}=${value}`)
  const logout = await issuer.fetch(`${elsewhere}/logout`, {
    headers: { cookie: cookie.join('; ') },
    redirect: 'manual',
  })
  expect(await logout.text()).not.toContain(ada.email)
  const { id } = issuer.application
  const redeemed = await issuer.fetch(`${elsewhere}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      ...form,
      client_id: id,
      client_secret: issuer.secretOf(issuer.application),
    }).toString(),
  })
  expect(redeemed.status).toBe(401)
})

test('userinfo refuses a missing, a wrong and an expired token with 401 and a challenge (RFC 6750 §3)', async () => {
  await using issuer = await startIssuer()
  const user = await issuer.addUser(ada)
  const { app, begun, callback } = await obtainCode(issuer)
  const { access_token: token } = await app.redeem(begun, callback)
  const ask = (value?: string) =>
    issuer.fetch(`${issuer.url}/oidc/userinfo`, {
      headers: value === undefined ? {} : { authorization: `Bearer ${value}` },
    })
  for (const value of [undefined, 'wrong']) {
    const answer = await ask(value)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
  }
  const inUrl = await issuer.fetch(`${issuer.url}/oidc/userinfo?access_token=${token}`)
  expect(inUrl.status).toBe(400)
  expect((await client.fetchUserInfo(app.config, token, user.id)).sub).toBe(user.id)
  moveTime(3_700)
  expect((await ask(token)).status).toBe(401)
})
