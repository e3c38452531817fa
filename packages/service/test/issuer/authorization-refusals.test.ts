import * as client from 'openid-client'
import { afterEach, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, movesTheClock, startIssuer } from './support/issuer.ts'
import { ada, moveTime, obtainCode } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
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
    expect(answer.html).toContain(
      `href="${applicationUrl}/login?iss=${encodeURIComponent(issuer.url)}"`,
    )
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
