import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

// Native applications (RFC 8252): redirect URLs of a device, no secret, and a user who sees each login.

const metadata = { latchkey_client: 'native' }
const scheme = 'com.example.shop:/callback'
const loopback = 'http://127.0.0.1/callback'

/** An application on a device, with openid-client and without a secret. */
async function startNative(issuer: TestIssuer, redirectUrls: string[], name = 'Shop') {
  const application = await issuer.addApplication({ name, redirectUrls, metadata })
  const app = await createClient(issuer, application)
  const config = new client.Configuration(
    app.config.serverMetadata(),
    application.id,
    undefined,
    client.None(),
  )
  client.allowInsecureRequests(config)
  config[client.customFetch] = issuer.fetch as client.CustomFetch
  const begin = (redirect_uri: string, parameters = {}) =>
    app.begin({ redirect_uri, scope: 'openid email offline_access', ...parameters })
  const redeem = async (begun: Awaited<ReturnType<typeof begin>>, location = '') =>
    client.authorizationCodeGrant(config, new URL(location), begun.checks)
  return { application, config, begin, redeem }
}

describe.each(storeKinds)('on %s', (store) => {
  test.each([
    ['a scheme of its own', scheme, scheme],
    [
      'http on 127.0.0.1, with a port chosen at run time',
      loopback,
      'http://127.0.0.1:51234/callback',
    ],
    [
      'http on [::1], with another port than the registered',
      'http://[::1]:1/cb',
      'http://[::1]:51234/cb',
    ],
    ['https', 'https://shop.example.com/app', 'https://shop.example.com/app'],
  ])('a native application logs in by %s', async (_, registered, used) => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await startNative(issuer, [registered])
    const browser = createBrowser(issuer)
    const begun = await app.begin(used)

    const callback = await browser.submit(await browser.get(begun.url), ada)

    expect(callback.location?.startsWith(used)).toBe(true)
    const tokens = await app.redeem(begun, callback.location)
    expect(tokens.claims()?.email).toBe(ada.email)
    const refreshed = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '')
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    const again = client.refreshTokenGrant(app.config, tokens.refresh_token ?? '')
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('a user who is logged in confirms the login of a native application, and is told its name', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await startNative(issuer, [scheme])
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get((await app.begin(scheme)).url), ada)

    const begun = await app.begin(scheme)
    const page = await browser.get(begun.url)

    expect(page.location).toBeUndefined()
    expect(page.html).toContain('The app Shop on this device asks to log you in.')
    expect(page.html).toContain(`Continue as ${ada.email}`)
    const callback = await browser.submit(page)
    expect((await app.redeem(begun, callback.location)).claims()?.email).toBe(ada.email)
  })

  test('a native application cannot log a user in silently', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await startNative(issuer, [scheme])
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get((await app.begin(scheme)).url), ada)

    const { location } = await browser.get((await app.begin(scheme, { prompt: 'none' })).url)

    expect(new URL(location ?? '').searchParams.get('error')).toBe('interaction_required')
  })
})

test.each([
  ['another host', loopback, 'http://localhost:51234/callback'],
  ['another path', loopback, 'http://127.0.0.1:51234/other'],
  ['https with another port', 'https://shop.example.com/app', 'https://shop.example.com:8443/app'],
  ['another scheme', scheme, 'com.example.other:/callback'],
])(
  'a redirect URL with %s than the registered is refused on a page',
  async (_, registered, used) => {
    await using issuer = await startIssuer()
    const app = await startNative(issuer, [registered])
    const page = await createBrowser(issuer).get((await app.begin(used)).url)
    expect([page.status, page.location]).toEqual([400, undefined])
  },
)

test('an application that is not native gets no other port', async () => {
  await using issuer = await startIssuer()
  const application = await issuer.addApplication({
    redirectUrls: [loopback],
    metadata: { latchkey_client: 'public' },
  })
  const app = await createClient(issuer, application)
  const { url } = await app.begin({ redirect_uri: 'http://127.0.0.1:51234/callback' })
  expect((await createBrowser(issuer).get(url)).status).toBe(400)
})

test('a native application needs PKCE', async () => {
  await using issuer = await startIssuer()
  const app = await startNative(issuer, [scheme])
  const url = new URL((await app.begin(scheme)).url)
  for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
  const { location } = await createBrowser(issuer).get(url.href)
  expect(new URL(location ?? '').searchParams.get('error_description')).toContain('PKCE')
})

test('no script may use the token endpoint for a native application, not even one of the origin "null"', async () => {
  await using issuer = await startIssuer()
  const { application } = await startNative(issuer, [scheme])
  const response = await issuer.fetch(`${issuer.url}/oidc/token`, {
    method: 'POST',
    headers: { origin: 'null', 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: application.id,
      refresh_token: 'a token',
    }),
  })
  expect(response.headers.get('access-control-allow-origin')).not.toBe('null')
  expect(response.status).toBe(400)
})

test('a logout leads back into a native application', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const logoutUrls = ['com.example.shop:/bye']
  const { id } = await issuer.addApplication({ redirectUrls: [scheme], logoutUrls, metadata })
  const query = new URLSearchParams({
    client_id: id,
    post_logout_redirect_uri: logoutUrls[0] ?? '',
  })
  const browser = createBrowser(issuer)
  const page = await browser.get(`${issuer.url}/oidc/logout?${query}`)
  const left = page.location === undefined ? await browser.submit(page, { logout: 'yes' }) : page
  expect(left.location).toBe(logoutUrls[0])
})

describe('the URLs of a native application', () => {
  test.each([
    scheme,
    'com.example.shop://callback',
    'com.googleusercontent.apps.123-abc:/callback',
    'de.example-shop.app:/callback',
    loopback,
    'http://localhost:3000/callback',
    'https://shop.example.com/app',
  ])('may be %s', async (url) => {
    await using api = await startApi()
    const body = { name: 'Shop', redirect_urls: [url], logout_urls: [url], metadata }
    expect(await api.create(api.applications, body)).toMatchObject(body)
  })

  test.each([
    ['a scheme that is not named after a domain', 'shop:/callback'],
    ['a script', 'javascript:alert(1)'],
    ['a scheme that begins as one of a browser, for files', 'file.x:/callback'],
    ['a scheme that begins as one of a browser, for sources', 'view-source.x:/callback'],
    ['a scheme that begins as one of a browser, for blobs', 'blob.a:/callback'],
    ['a scheme that begins as one of a browser, for data', 'data.x:/callback'],
    ['a scheme that begins as a script', 'javascript.example.shop:/callback'],
    ['a scheme that begins as one of the web', 'https.example.shop:/callback'],
    ['a scheme with an empty label', 'com..shop:/callback'],
    ['a scheme that ends with a dot', 'com.:/callback'],
    ['a scheme with a plus sign', 'com.example+shop:/callback'],
    ['plain http on another host', 'http://app.example.com/callback'],
    ['plain http on a subdomain of localhost', 'http://acme.localhost/callback'],
    ['https on the device', 'https://localhost/callback'],
    ['a fragment', 'com.example.shop:/callback#x'],
    ['a user name', 'com.example.shop://ada@callback'],
    ['a wildcard', 'com.example.shop:/*'],
    ['a space', 'com.example.shop:/a b'],
  ])('with %s are refused with invalid_url', async (_, url) => {
    await using api = await startApi()
    const body = { name: 'Shop', redirect_urls: [url], metadata }
    expectError(await api.post(api.applications, body), 400, 'invalid_url')
  })

  test('are refused when the application is no longer native', async () => {
    await using api = await startApi()
    const body = { name: 'Shop', redirect_urls: [scheme], metadata }
    const { id } = await api.create(api.applications, body)
    const path = `${api.applications}/${id}`
    expectError(await api.post(path, { ...body, metadata: {} }), 400, 'invalid_url')
  })
})
