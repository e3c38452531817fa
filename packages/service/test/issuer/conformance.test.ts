import { createHash } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Application } from '../../src/store/records.ts'
import { startApi } from '../support/api.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import {
  applicationUrl,
  movesTheClock,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'
import { ada, moveTime, post } from './support/token-endpoint.ts'

movesTheClock()

// What the modules of the OpenID Foundation's plans for providers do; docs/conformance.md has the table.
// Their client sends no PKCE.

afterEach(() => void vi.useRealTimers())

const callbackUrl = `${applicationUrl}/callback`
const loggedOutUrl = `${applicationUrl}/logged-out`

type Parameters = Record<string, string | undefined>

const variants = [
  ...storeKinds.map((store) => ({ store, mode: 'query' })),
  { store: 'memory' as const, mode: 'form_post' },
]

describe.each(variants)('on $store, with answers by $mode', ({ store, mode }) => {
  let issuer: TestIssuer
  let application: Application
  let userId: string

  beforeAll(async () => {
    issuer = await startIssuer({ store })
    application = await issuer.addApplication({ metadata: { latchkey_pkce: 'optional' } })
    userId = (await issuer.addUser(ada)).id
  })
  afterAll(() => issuer[Symbol.asyncDispose]())

  const parametersOf = (parameters: Parameters = {}): Record<string, string> => {
    const all = {
      client_id: application.id,
      redirect_uri: callbackUrl,
      response_type: 'code',
      scope: 'openid',
      state: 'a state',
      nonce: 'a nonce',
      ...(mode === 'form_post' && { response_mode: mode }),
      ...parameters,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }
  const urlOf = (parameters?: Parameters) =>
    `${issuer.url}/oidc/auth?${new URLSearchParams(parametersOf(parameters))}`
  const begin = (parameters?: Parameters, browser = createBrowser(issuer)) =>
    browser.get(urlOf(parameters))

  const answerOf = ({ location, html }: Page): Record<string, string> => {
    if (mode === 'query') {
      expect(location?.startsWith(callbackUrl)).toBe(true)
      return Object.fromEntries(new URL(location ?? '').searchParams)
    }
    expect(location).toBeUndefined()
    expect(/<form method="post" action="([^"]*)"/.exec(html)?.[1]).toBe(callbackUrl)
    const fields = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
    return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
  }

  async function logIn(parameters?: Parameters, browser: Browser = createBrowser(issuer)) {
    const form = await begin(parameters, browser)
    expect(form.html).toContain('name="password"')
    const answer = answerOf(await browser.submit(form, ada))
    expect(answer).toMatchObject({ state: 'a state', iss: issuer.url })
    return { browser, code: answer.code ?? '' }
  }

  const redeem = (code: string, form: Record<string, string> = {}) =>
    post(issuer, application, 'token', {
      grant_type: 'authorization_code',
      redirect_uri: callbackUrl,
      code,
      ...form,
    })

  /** What is in an ID Token with a good signature for the application. */
  async function verified(idToken = '', nonce: string | null = 'a nonce') {
    const answer = await issuer.fetch(`${issuer.url}/oidc/jwks`)
    const keys = createLocalJWKSet((await answer.json()) as never)
    const options = { issuer: issuer.url, audience: application.id, algorithms: ['RS256'] }
    const { payload } = await jwtVerify(idToken, keys, options)
    expect(payload).toMatchObject({ sub: userId, exp: expect.any(Number), iat: expect.any(Number) })
    expect(payload.nonce ?? null).toBe(nonce)
    return payload
  }

  async function tokensOf(parameters?: Parameters, browser?: Browser) {
    const { code, browser: used } = await logIn(parameters, browser)
    const { status, body } = await redeem(code)
    expect(status).toBe(200)
    return { tokens: body, claims: await verified(body.id_token), browser: used, code }
  }

  /** The claims of a login that asks nothing of the user. */
  async function silently(parameters: Parameters, browser: Browser) {
    const answer = answerOf(await begin(parameters, browser))
    const { body } = await redeem(answer.code ?? '')
    return verified(body.id_token)
  }

  async function userinfo(init: RequestInit) {
    const answer = await issuer.fetch(`${issuer.url}/oidc/userinfo`, init)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const bearer = (token = '') => ({ authorization: `Bearer ${token}` })

  test('a login without PKCE ends with tokens that verify', async () => {
    const { tokens } = await tokensOf()
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
    const { alg, kid } = decodeProtectedHeader(tokens.id_token ?? '')
    expect({ alg, kid }).toEqual({ alg: 'RS256', kid: expect.any(String) })
  })

  test('the order of scopes and of parameters says nothing', async () => {
    const [path, query] = urlOf({ scope: 'email openid' }).split('?')
    const reordered = new URLSearchParams([...new URLSearchParams(query)].reverse())
    const browser = createBrowser(issuer)
    const answer = await browser.submit(await browser.get(`${path}?${reordered}`), ada)
    const { body } = await redeem(answerOf(answer).code ?? '')
    expect(await verified(body.id_token)).toMatchObject({ email: ada.email })
  })

  test('a request without a response type is refused', async () => {
    expect(answerOf(await begin({ response_type: undefined }))).toMatchObject({
      error: 'invalid_request',
      state: 'a state',
    })
  })

  test('userinfo is read by GET, by POST with the header, and by POST with the token in the body', async () => {
    const { tokens } = await tokensOf()
    const token = tokens.access_token
    const body = new URLSearchParams({ access_token: token ?? '' })
    for (const init of [
      { headers: bearer(token) },
      { method: 'POST', headers: bearer(token) },
      { method: 'POST', body },
    ]) {
      expect(await userinfo(init)).toEqual({ status: 200, body: { sub: userId } })
    }
  })

  test('without PKCE a request without a nonce is refused, and with PKCE it needs none', async () => {
    const refused = answerOf(await begin({ nonce: undefined }))
    expect(refused).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringMatching(/^send a nonce, or a code_challenge/),
    })
    expect(answerOf(await begin({ nonce: '' })).error).toBe('invalid_request')

    const verifier = 'v'.repeat(43)
    const { code } = await logIn({
      nonce: undefined,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const { body } = await redeem(code, { code_verifier: verifier })
    await verified(body.id_token, null)
  })

  test('with latchkey_nonce optional, a request without PKCE needs no nonce', async () => {
    const metadata = { latchkey_pkce: 'optional', latchkey_nonce: 'optional' }
    const { id } = await issuer.addApplication({ metadata })
    const browser = createBrowser(issuer)
    const form = await begin({ client_id: id, nonce: undefined }, browser)
    expect(answerOf(await browser.submit(form, ada))).toHaveProperty('code')
  })

  test('an application that is not registered for it cannot leave PKCE out', async () => {
    const answer = await createBrowser(issuer).get(urlOf({ client_id: issuer.application.id }))
    expect(answerOf(answer)).toMatchObject({ error: 'invalid_request' })
  })

  test('a code of a login with PKCE needs its verifier, also if PKCE is optional', async () => {
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const parameters = { code_challenge: challenge, code_challenge_method: 'S256' }
    const without = await logIn(parameters)
    expect((await redeem(without.code)).body.error).toBe('invalid_grant')
    const { code } = await logIn(parameters)
    expect((await redeem(code, { code_verifier: verifier })).status).toBe(200)
    const downgraded = await logIn()
    const form = { code_verifier: verifier }
    expect((await redeem(downgraded.code, form)).body.error).toBe('invalid_grant')
  })

  test.each([
    ['openid profile', { name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' }],
    ['openid email', { email: ada.email, email_verified: true }],
    ['email openid', { email: ada.email }],
    ['openid address', {}],
    ['openid phone', {}],
    ['openid profile email address phone', { name: 'Ada Lovelace', email: ada.email }],
  ])('the scope "%s" gives its claims in the ID token and at userinfo', async (scope, expected) => {
    const { tokens, claims } = await tokensOf({ scope })
    const { body } = await userinfo({ headers: bearer(tokens.access_token) })
    expect(claims).toMatchObject(expected)
    expect(body).toMatchObject({ sub: userId, ...expected })
    if (!scope.includes('email')) expect(body).not.toHaveProperty('email')
  })

  test.each([
    { display: 'page' },
    { display: 'popup' },
    { extra: 'foobar' },
    { login_hint: 'buffy@example.com' },
    { ui_locales: 'se' },
    { claims_locales: 'se' },
    { acr_values: '1 2' },
    { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) },
  ])('a login succeeds with %o', async (parameters: Parameters) => {
    await tokensOf(parameters)
  })

  test('prompt=login asks again, and auth_time says so', async () => {
    const { claims, browser } = await tokensOf()
    moveTime(2)
    const again = await tokensOf({ prompt: 'login' }, browser)
    expect(Number(again.claims.auth_time)).toBeGreaterThan(Number(claims.auth_time))
  })

  test('prompt=none is answered with login_required without a session, and with a code with one', async () => {
    expect(answerOf(await begin({ prompt: 'none' }))).toMatchObject({ error: 'login_required' })
    const { claims, browser } = await tokensOf()
    const again = await silently({ prompt: 'none' }, browser)
    expect(again).toMatchObject({ sub: claims.sub, auth_time: claims.auth_time })
  })

  test('max_age=1 asks again after two seconds, max_age=10000 does not', async () => {
    const { claims, browser } = await tokensOf()
    moveTime(2)
    const later = await silently({ max_age: '10000' }, browser)
    expect(later.auth_time).toBe(claims.auth_time)
    const again = await tokensOf({ max_age: '1' }, browser)
    expect(Number(again.claims.auth_time)).toBeGreaterThan(Number(claims.auth_time))
  })

  test('prompt=none with an ID token as a hint logs its user in', async () => {
    const { tokens, browser } = await tokensOf()
    await silently({ prompt: 'none', id_token_hint: tokens.id_token }, browser)
  })

  test.each([0, 30])(
    'a code that is used again after %i seconds ends what it gave',
    async (seconds) => {
      const { tokens, code } = await tokensOf()
      if (seconds > 0) moveTime(seconds)
      expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      expect((await userinfo({ headers: bearer(tokens.access_token) })).status).toBe(401)
    },
  )

  test('a redirect URI that is not registered gets a page, whose link starts a login and names the issuer', async () => {
    const { status, location, html } = await begin({ redirect_uri: `${callbackUrl}?foo=bar` })
    expect([status, location]).toEqual([400, undefined])
    expect(html).toContain(`href="${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}"`)
  })

  test('an authorization request may come by POST', async () => {
    const browser = createBrowser(issuer)
    const fields = Object.entries(parametersOf()).map(
      ([name, value]) => `<input name="${name}" value="${value}">`,
    )
    const html = `<form method="post" action="/oidc/auth">${fields.join('')}</form>`
    const page = { url: issuer.url, html, status: 200, headers: new Headers(), location: undefined }
    const form = await browser.submit(page)
    const answer = answerOf(await browser.submit(form, ada))
    expect((await redeem(answer.code ?? '')).status).toBe(200)
  })

  test('an application may prove itself with client_secret_post', async () => {
    const { code } = await logIn()
    const form = { client_id: application.id, client_secret: issuer.secretOf(application) }
    const body = { grant_type: 'authorization_code', redirect_uri: callbackUrl, code, ...form }
    const answer = await issuer.fetch(`${issuer.url}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    })
    expect(answer.status).toBe(200)
  })

  test.each([
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.', redirect_uri: callbackUrl }, 'request_not_supported'],
    [{ request_uri: 'https://app.example.com/request' }, 'request_uri_not_supported'],
  ])('a request object is refused: %o', async (parameters: Parameters, error) => {
    expect(answerOf(await begin(parameters))).toMatchObject({ error })
  })

  test('a refresh token gives new tokens of the same user', async () => {
    const { tokens } = await tokensOf({ scope: 'openid offline_access', prompt: 'consent' })
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    const { status, body } = await post(issuer, application, 'token', form)
    expect(status).toBe(200)
    expect(body.access_token).not.toBe(tokens.access_token)
    await verified(body.id_token)
  })

  /** Logs in, then asks for the logout that `parameters` describe. */
  async function logOut(parameters: (idToken: string) => Promise<Parameters> | Parameters) {
    const { tokens, browser } = await tokensOf()
    const asked = Object.entries(await parameters(tokens.id_token ?? ''))
    const query = new URLSearchParams(asked as [string, string][])
    const page = await browser.get(`${issuer.url}/oidc/logout?${query}`)
    const isLoggedIn = async () =>
      answerOf(await begin({ prompt: 'none' }, browser)).error === undefined
    return { page, browser, isLoggedIn }
  }
  const back = { post_logout_redirect_uri: loggedOutUrl }

  test.each([
    ['with a state', { ...back, state: 'bye' }, `${loggedOutUrl}?state=bye`],
    ['without a state', back, loggedOutUrl],
    ['without a way back', { state: 'bye' }, undefined],
  ])('a logout with an ID token, %s, is done at once', async (_, parameters, location) => {
    const { page, isLoggedIn } = await logOut((hint) => ({ ...parameters, id_token_hint: hint }))
    expect(page.location).toBe(location)
    if (location === undefined) expect(page.html).toContain('You are logged out')
    expect(await isLoggedIn()).toBe(false)
  })

  test.each([
    ['without any parameter', {}],
    ['with a state alone', { state: 'bye' }],
    ['without an ID token', { ...back, state: 'bye' }],
  ])('a logout %s asks the user first', async (_, parameters) => {
    const { page, browser, isLoggedIn } = await logOut(() => parameters)
    expect([page.status, page.location]).toEqual([200, undefined])
    expect(page.html).toContain('Log out?')
    expect(await isLoggedIn()).toBe(true)
    const left = await browser.submit(page, { logout: 'yes' })
    expect(left.location).toBeUndefined()
    expect(left.html).toContain('You are logged out')
    expect(await isLoggedIn()).toBe(false)
  })

  test.each(['https://app.example.com/elsewhere', `${loggedOutUrl}?foo=bar`])(
    'a logout to %s, which is not registered, gets a page',
    async (uri) => {
      const { page, isLoggedIn } = await logOut((hint) => ({
        post_logout_redirect_uri: uri,
        id_token_hint: hint,
      }))
      expect([page.status, page.location]).toEqual([400, undefined])
      expect(await isLoggedIn()).toBe(true)
    },
  )

  test.each([
    [
      'whose content was changed',
      (hint: string) => {
        const [header, payload = '', signature] = hint.split('.')
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
        const changed = JSON.stringify({ ...claims, sub: 'somebody else' })
        return [header, Buffer.from(changed).toString('base64url'), signature].join('.')
      },
    ],
    [
      'that the client signed with its secret',
      () =>
        new SignJWT({ sub: userId })
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer(issuer.url)
          .setAudience(application.id)
          .setIssuedAt()
          .setExpirationTime('5m')
          .sign(Buffer.from(issuer.secretOf(application))),
    ],
  ])('a logout with an ID token %s gets a page and logs no user out', async (_, forge) => {
    const { page, isLoggedIn } = await logOut(async (hint) => ({
      ...back,
      id_token_hint: await forge(hint),
    }))
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(await isLoggedIn()).toBe(true)
  })
})

test('discovery describes what the issuer does, with every endpoint on https', async () => {
  await using api = await startApi()
  const origin = 'https://acme.example'
  const get = async (url: string) =>
    (await api.service.fetch(url)).json() as Promise<Record<string, never>>
  const discovered = await get(`${origin}/.well-known/openid-configuration`)

  expect(discovered).toMatchObject({
    issuer: origin,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'PS256'],
    token_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'none',
    ],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    code_challenge_methods_supported: ['S256'],
    claims_parameter_supported: false,
    request_uri_parameter_supported: false,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
  expect(discovered.scopes_supported).toContain('openid')
  expect(discovered.scopes_supported).not.toContain('address')
  expect(discovered.claims_supported).toEqual(expect.arrayContaining(['sub', 'email', 'name']))
  const endpoints = ['authorization', 'device_authorization', 'token', 'userinfo', 'end_session']
  for (const name of [...endpoints, 'revocation']) {
    expect(discovered[`${name}_endpoint`]).toMatch(/^https:\/\/acme\.example\/oidc\//)
  }
  const { keys } = await get(discovered.jwks_uri ?? '')
  expect(keys).toEqual(
    ['RS256', 'PS256'].map((alg) => ({
      kty: 'RSA',
      use: 'sig',
      alg,
      kid: expect.any(String),
      e: 'AQAB',
      n: expect.any(String),
    })),
  )
})
