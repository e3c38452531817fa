import { randomBytes } from 'node:crypto'
import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTenant } from '../../src/domain/tenants.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import type { Application } from '../../src/store/records.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

afterEach(() => {
  vi.useRealTimers()
})

function moveTime(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
}

interface TokenAnswer {
  status: number
  body: Record<string, string>
}

/** Asks the token endpoint for something, as the application. */
async function post(
  issuer: TestIssuer,
  application: Application,
  endpoint: 'token' | 'revoke',
  form: Record<string, string>,
  headers: Record<string, string> = {},
  body = new URLSearchParams(form).toString(),
): Promise<TokenAnswer> {
  const secret = issuer.secretOf(application)
  const basic = Buffer.from(`${application.id}:${encodeURIComponent(secret)}`).toString('base64')
  const answer = await issuer.fetch(`${issuer.url}/oidc/${endpoint}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${basic}`,
      ...headers,
    },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

/** A login up to the code, which is not redeemed yet. */
async function obtainCode(issuer: TestIssuer, parameters: Record<string, string> = {}) {
  const app = await createClient(issuer)
  const { begun, callback, browser } = await logIn(issuer, app, ada, undefined, parameters)
  const code = new URL(callback.location ?? '').searchParams.get('code') ?? ''
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    code_verifier: begun.checks.pkceCodeVerifier,
  }
  return { app, code, form, browser, begun, callback }
}

/**
 * Holds everybody who is about to spend something until so many have come: all of them have found it
 * unspent by then, and what decides is the store alone.
 */
function spendTogether(kind: string, count: number) {
  return (protocol: ProtocolStore): ProtocolStore => {
    let waiting = count
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    return {
      ...protocol,
      async consume(name) {
        if (name.kind === kind && --waiting === 0) open()
        if (name.kind === kind) await gate
        return protocol.consume(name)
      },
    }
  }
}

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

    await expect(
      client.refreshTokenGrant(app.config, first.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(
      client.refreshTokenGrant(app.config, second.refresh_token ?? ''),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('of four parallel refreshes with one token exactly one wins', async () => {
    await using issuer = await startIssuer({ store, wrap: spendTogether('RefreshToken', 4) })
    await issuer.addUser(ada)
    const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid offline_access' })
    const { refresh_token: token = '' } = await app.redeem(begun, callback)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(issuer, issuer.application, 'token', form)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(3)
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

  test('nothing that opens anything lies in the store in clear text', async () => {
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

test('an authorization request without PKCE is refused (RFC 9700 §2.1.1)', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const url = new URL((await app.begin()).url)
  url.searchParams.delete('code_challenge')
  url.searchParams.delete('code_challenge_method')
  const answer = await createBrowser(issuer).get(url.href)
  expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('invalid_request')
})

test('the PKCE method "plain" is refused, named or implied (RFC 7636 §4.4.1)', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  for (const method of ['plain', undefined]) {
    const url = new URL((await app.begin()).url)
    if (method) url.searchParams.set('code_challenge_method', method)
    else url.searchParams.delete('code_challenge_method')
    const answer = await createBrowser(issuer).get(url.href)
    expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('invalid_request')
  }
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

test.each([
  'http://localhost:3000/callback/',
  'http://localhost:3000/callback?x=1',
  'http://localhost:3000/Callback',
  'http://localhost:3001/callback',
  'http://localhost:3000/callback/../callback',
  'http://localhost:3000@evil.example/callback',
  'https://evil.example/callback',
])(
  'the redirect URI %s is refused on a page, never by a redirect (RFC 9700 §4.1.3)',
  async (uri) => {
    await using issuer = await startIssuer()
    const app = await createClient(issuer)
    const answer = await createBrowser(issuer).get((await app.begin({ redirect_uri: uri })).url)
    expect(answer.location).toBeUndefined()
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('not registered for it')
    expect(answer.html).toContain(`href="${applicationUrl}/login"`)
  },
)

test('an unknown application is refused on a page', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const answer = await createBrowser(issuer).get((await app.begin({ client_id: '<b>x</b>' })).url)
  expect(answer.status).toBe(400)
  expect(answer.location).toBeUndefined()
  expect(answer.html).toContain('not known here')
  expect(answer.html).not.toContain('<b>x</b>')
})

test('an application without redirect URLs is told so on a page', async () => {
  await using issuer = await startIssuer()
  const bare = await issuer.addApplication({ redirectUrls: [] })
  const app = await createClient(issuer, bare)
  const answer = await createBrowser(issuer).get((await app.begin()).url)
  expect(answer.status).toBe(400)
  expect(answer.html).toContain('No redirect URL is registered')
})

test.each(['token', 'id_token', 'code token', 'code id_token', 'none'])(
  'the response type "%s" is refused',
  async (responseType) => {
    await using issuer = await startIssuer()
    const app = await createClient(issuer)
    const answer = await createBrowser(issuer).get(
      (await app.begin({ response_type: responseType })).url,
    )
    const { hash, searchParams } = new URL(answer.location ?? '')
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')
    expect(error).toBe('unsupported_response_type')
  },
)

test.each(['client_credentials', 'password', 'urn:ietf:params:oauth:grant-type:device_code'])(
  'the grant type "%s" is refused',
  async (grantType) => {
    await using issuer = await startIssuer()
    const answer = await post(issuer, issuer.application, 'token', { grant_type: grantType })
    expect(answer.body.error).toBe('unsupported_grant_type')
  },
)

test('a parameter that is sent twice is refused (RFC 6749 §3.1)', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const url = new URL((await app.begin()).url)
  url.searchParams.append('state', 'again')
  const answer = await createBrowser(issuer).get(url.href)
  expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('invalid_request')
})

test.each([
  ['prompt=none beside another (OpenID Connect Core §3.1.2.1)', { prompt: 'none login' }],
  ['an unknown prompt', { prompt: 'dance' }],
  ['a max_age that is no number', { max_age: 'soon' }],
  ['an unknown response mode', { response_mode: 'pigeon' }, 'unsupported_response_mode'],
  ['a code challenge that is none (RFC 7636 §4.2)', { code_challenge: 'short' }],
  ['a registration', { registration: '{}' }, 'registration_not_supported'],
])('an authorization request with %s is refused', async (_what, parameters, code?: string) => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const begun = await app.begin(parameters)
  const answer = new URL((await createBrowser(issuer).get(begun.url)).location ?? '')
  expect(answer.searchParams.get('error')).toBe(code ?? 'invalid_request')
  expect(answer.searchParams.get('state')).toBe(begun.checks.expectedState)
  expect(answer.searchParams.get('iss')).toBe(issuer.url)
  expect(answer.searchParams.has('code')).toBe(false)
})

test('prompt=none for another user than the one logged in is answered with login_required (OpenID Connect Core §3.1.2.2)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const bob = { email: 'bob@example.com', password: 'a different one' }
  await issuer.addUser(bob)
  const { app, begun, callback, browser } = await obtainCode(issuer)
  const { id_token: own = '' } = await app.redeem(begun, callback)
  const other = await logIn(issuer, app, bob)
  const { id_token: foreign = '' } = await app.redeem(other.begun, other.callback)

  const ask = async (hint: string) => {
    const { url } = await app.begin({ prompt: 'none', id_token_hint: hint })
    return new URL((await browser.get(url)).location ?? '').searchParams
  }
  expect((await ask(own)).has('code')).toBe(true)
  expect((await ask(foreign)).get('error')).toBe('login_required')
})

test('an authorization or logout request may come as a form (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  /** Sends the query of a URL as a form, as another site would: without the session's cookie. */
  const submit = async (url: string) => {
    const { origin, pathname, search } = new URL(url)
    const answer = await issuer.fetch(origin + pathname, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
      body: search.slice(1),
    })
    expect(answer.status).toBe(303)
    return browser.get(answer.headers.get('location') ?? '')
  }
  const begun = await app.begin({ scope: 'openid email offline_access' })
  const callback = await browser.submit(await submit(begun.url), ada)
  const tokens = await app.redeem(begun, callback)
  expect(tokens.claims()?.email).toBe(ada.email)
  expect(tokens.refresh_token).toBeTruthy()

  const twice = await submit(`${(await app.begin()).url}&state=again`)
  expect(new URL(twice.location ?? '').searchParams.get('error')).toBe('invalid_request')

  const logout = client.buildEndSessionUrl(app.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    id_token_hint: tokens.id_token ?? '',
  })
  expect((await submit(logout.href)).location).toBe(`${applicationUrl}/logged-out`)
})

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
  expect(byGet.status).toBe(404)
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

test('a refresh token that nobody uses expires after thirty days', async () => {
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

test('a code, token or session of one tenant is worth nothing at another', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, form, begun, callback, browser } = await obtainCode(issuer)
  const { access_token: token } = await app.redeem(begun, callback)
  const domain = `other.localhost:${issuer.port}`
  const settings = { ...issuer.tenant.settings, domain }
  await createTenant(issuer.domain, { name: 'admin' }, { name: '', metadata: {}, settings })
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

test('request objects are refused (OpenID Connect Core §6)', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  for (const [name, error] of [
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
  ] as const) {
    const answer = await createBrowser(issuer).get((await app.begin({ [name]: 'x' })).url)
    expect(new URL(answer.location ?? '').searchParams.get('error')).toBe(error)
  }
})

test('prompt=none without a session is answered with login_required and the issuer (RFC 9207 §2)', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const begun = await app.begin({ prompt: 'none' })
  const answer = new URL((await createBrowser(issuer).get(begun.url)).location ?? '')
  expect(answer.searchParams.get('error')).toBe('login_required')
  expect(answer.searchParams.get('state')).toBe(begun.checks.expectedState)
  expect(answer.searchParams.get('iss')).toBe(issuer.url)
})

test('prompt=none for an unverified user is answered with interaction_required', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser({ ...ada, emailVerified: false })
  const app = await createClient(issuer)
  const { browser } = await logIn(issuer, app, ada)
  const answer = await browser.get((await app.begin({ prompt: 'none' })).url)
  expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('interaction_required')
})

test('max_age asks for the password again when the login is older, and auth_time says so', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const { browser } = await logIn(issuer, app, ada)
  moveTime(120)
  expect((await browser.get((await app.begin({ max_age: '300' })).url)).location).toBeTruthy()
  const begun = await app.begin({ max_age: '60' })
  const form = await browser.get(begun.url)
  expect(form.html).toContain('enter your password again')
  expect(form.html).toContain(`value="${ada.email}"`)
  const callback = await browser.submit(form, ada)
  const claims = (await app.redeem(begun, callback)).claims()
  expect(claims?.auth_time).toBe(Math.floor(claims?.auth_time ?? 0))
  expect(Math.abs((claims?.auth_time ?? 0) - Date.now() / 1000)).toBeLessThan(30)
})

test('prompt=login asks for the password although somebody is logged in', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const { browser } = await logIn(issuer, app, ada)
  const begun = await app.begin({ prompt: 'login' })
  const form = await browser.get(begun.url)
  expect(form.html).toContain('name="password"')
  expect((await app.redeem(begun, await browser.submit(form, ada))).access_token).toBeTruthy()
})

test('offline access is given without asking, with and without prompt=consent', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  for (const prompt of [undefined, 'consent']) {
    const parameters = { scope: 'openid offline_access', ...(prompt && { prompt }) }
    const { app, begun, callback } = await obtainCode(issuer, parameters)
    expect((await app.redeem(begun, callback)).refresh_token).toBeTruthy()
  }
  const { app, begun, callback } = await obtainCode(issuer)
  expect((await app.redeem(begun, callback)).refresh_token).toBeUndefined()
})

test('claims follow the scopes that were asked for (OpenID Connect Core §5.4)', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback } = await obtainCode(issuer, { scope: 'openid' })
  const claims = (await app.redeem(begun, callback)).claims() ?? {}
  expect(Object.keys(claims)).not.toContain('email')
  expect(Object.keys(claims)).not.toContain('name')
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

test('after logout the tokens of the session stop working', async () => {
  await using issuer = await startIssuer()
  const user = await issuer.addUser(ada)
  const { app, begun, callback, browser } = await obtainCode(issuer)
  const tokens = await app.redeem(begun, callback)
  const logout = client.buildEndSessionUrl(app.config, { id_token_hint: tokens.id_token ?? '' })
  expect((await browser.get(logout.href)).html).toContain('You are logged out')
  await expect(
    client.fetchUserInfo(app.config, tokens.access_token, user.id),
  ).rejects.toMatchObject({ status: 401 })
})

test('a logout without an ID token asks first, and can be declined', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, browser } = await obtainCode(issuer)
  const logout = client.buildEndSessionUrl(app.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
  })
  const question = await browser.get(logout.href)
  expect(question.html).toContain('Log out?')
  expect(question.html).toContain(ada.email)
  await browser.submitOnly(question)
  expect((await browser.get((await app.begin()).url)).location).toContain('code=')

  const bare = await browser.get(`${issuer.url}/oidc/logout`)
  const stayed = await browser.submit(bare)
  expect(stayed.html).toContain('You are logged in already')

  const again = await browser.get(logout.href)
  const left = await browser.submit(again, { logout: 'yes' })
  expect(left.location).toBe(`${applicationUrl}/logged-out`)
  expect((await browser.get((await app.begin()).url)).html).toContain('name="password"')
})

test('a forged confirmation of a logout is refused', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, browser } = await obtainCode(issuer)
  const question = await browser.get(
    client.buildEndSessionUrl(app.config, { client_id: issuer.application.id }).href,
  )
  const refused = await browser.submit(question, { logout: 'yes', xsrf: 'forged' })
  expect(refused.status).toBe(400)
  expect((await browser.get((await app.begin()).url)).location).toContain('code=')
})

test('a logout address that is not registered is refused, never followed', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { app, begun, callback, browser } = await obtainCode(issuer)
  const { id_token: hint = '' } = await app.redeem(begun, callback)
  for (const uri of [`${applicationUrl}/logged-out/`, 'https://evil.example/']) {
    const logout = client.buildEndSessionUrl(app.config, {
      post_logout_redirect_uri: uri,
      id_token_hint: hint,
    })
    const answer = await browser.get(logout.href)
    expect(answer.status).toBe(400)
    expect(answer.location).toBeUndefined()
  }
})

test('a logout of a browser that is not logged in goes straight back to the application', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const logout = client.buildEndSessionUrl(app.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    state: 'bye',
  })
  const answer = await createBrowser(issuer).get(logout.href)
  expect(answer.location).toBe(`${applicationUrl}/logged-out?state=bye`)
})

test('an ID token of another user does not log out whoever is logged in', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const bob = { email: 'bob@example.com', password: 'a different one' }
  await issuer.addUser(bob)
  const app = await createClient(issuer)
  const other = await logIn(issuer, app, bob)
  const { id_token: hint = '' } = await app.redeem(other.begun, other.callback)
  const { browser } = await logIn(issuer, app, ada)
  const question = await browser.get(
    client.buildEndSessionUrl(app.config, { id_token_hint: hint }).href,
  )
  expect(question.html).toContain('Log out?')
})
