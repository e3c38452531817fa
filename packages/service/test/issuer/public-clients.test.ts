import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { applicationUrl, startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const origin = new URL(applicationUrl).origin
const isPublic = { latchkey_client: 'public' }
const scope = 'openid email offline_access'

/** Sends a request as a script of a page; answers with the response, and whether the browser lets the script read it. */
async function askAsScript(issuer: TestIssuer, path: string, init: RequestInit, from = origin) {
  const headers = { origin: from, 'sec-fetch-site': 'cross-site', ...init.headers }
  const response = await issuer.fetch(`${issuer.url}${path}`, { ...init, headers })
  const text = await response.text()
  return {
    status: response.status,
    isReadable: response.headers.get('access-control-allow-origin') === from,
    body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string>,
  }
}

/** A login of a single-page application up to the code, and the form by which its script redeems it. */
async function obtainCode(issuer: TestIssuer, metadata: Readonly<Record<string, string>>) {
  const application = await issuer.addApplication({ metadata })
  const app = await createClient(issuer, application)
  const { begun, callback } = await logIn(issuer, app, ada, undefined, { scope })
  const form = {
    grant_type: 'authorization_code',
    client_id: application.id,
    code: new URL(callback.location ?? '').searchParams.get('code') ?? '',
    redirect_uri: app.redirectUri,
    code_verifier: begun.checks.pkceCodeVerifier,
  }
  return { application, form }
}

const post = (form: Readonly<Record<string, string>>, headers = {}): RequestInit => ({
  method: 'POST',
  headers,
  body: new URLSearchParams(form),
})

describe.each(storeKinds)('on %s', (store) => {
  test('a single-page application logs in without a secret, reads userinfo, refreshes and revokes, from the origin of its redirect URL', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { application, form } = await obtainCode(issuer, isPublic)

    const redeemed = await askAsScript(issuer, '/oidc/token', post(form))
    expect(redeemed).toMatchObject({ status: 200, isReadable: true })
    const { access_token: token = '', refresh_token: first = '' } = redeemed.body
    const headers = { authorization: `Bearer ${token}` }
    const read = await askAsScript(issuer, '/oidc/userinfo', { headers })
    expect(read).toMatchObject({ status: 200, isReadable: true, body: { email: ada.email } })

    const client_id = application.id
    const refresh = (refresh_token: string) =>
      askAsScript(
        issuer,
        '/oidc/token',
        post({ grant_type: 'refresh_token', client_id, refresh_token }),
      )
    const second = (await refresh(first)).body.refresh_token ?? ''
    expect(second).not.toBe(first)
    const revoked = await askAsScript(issuer, '/oidc/revoke', post({ client_id, token: second }))
    expect(revoked).toMatchObject({ status: 200, isReadable: true })
    expect(await refresh(second)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('a refresh token of a public client that is used again ends the login', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { application, form } = await obtainCode(issuer, isPublic)
    const { body } = await askAsScript(issuer, '/oidc/token', post(form))
    const refresh = (refresh_token = '') =>
      askAsScript(
        issuer,
        '/oidc/token',
        post({ grant_type: 'refresh_token', client_id: application.id, refresh_token }),
      )

    const second = await refresh(body.refresh_token)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant')
  })
})

test('scripts of other origins than those of the redirect URLs are refused, and cannot read why', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { form } = await obtainCode(issuer, isPublic)
  const { protocol, hostname, port } = new URL(origin)

  for (const foreign of [
    'https://evil.example',
    'null',
    `${protocol}//${hostname}:${Number(port) + 1}`,
    `${protocol}//www.${hostname}:${port}`,
  ]) {
    const refused = await askAsScript(issuer, '/oidc/token', post(form), foreign)
    expect(refused).toMatchObject({ status: 400, isReadable: false })
    expect(refused.body.access_token).toBeUndefined()
  }
  expect((await askAsScript(issuer, '/oidc/token', post(form))).status).toBe(200)
})

test('a script of an application that has a secret reads what to register, before its code is used up', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const { application, form } = await obtainCode(issuer, {})

  const refused = await askAsScript(issuer, '/oidc/token', post(form))

  expect(refused).toMatchObject({
    status: 400,
    isReadable: true,
    body: { error: 'invalid_request' },
  })
  expect(refused.body.error_description).toContain('latchkey_client: public')
  const client_secret = issuer.secretOf(application)
  const withSecret = await askAsScript(issuer, '/oidc/token', post({ ...form, client_secret }))
  expect(withSecret.status).toBe(400)
  const elsewhere = await askAsScript(issuer, '/oidc/token', post(form), 'https://evil.example')
  expect(elsewhere.isReadable).toBe(false)
  const served = await issuer.fetch(`${issuer.url}/oidc/token`, post({ ...form, client_secret }))
  expect(served.status).toBe(200)
})

test('a public client needs PKCE, and its refusal says so at the authorization request', async () => {
  await using issuer = await startIssuer()
  const application = await issuer.addApplication({ metadata: isPublic })
  const app = await createClient(issuer, application)
  const url = new URL((await app.begin()).url)
  url.searchParams.delete('code_challenge')
  url.searchParams.delete('code_challenge_method')

  const answer = new URL((await createBrowser(issuer).get(url.href)).location ?? '')

  expect(answer.searchParams.get('error')).toBe('invalid_request')
  expect(answer.searchParams.get('error_description')).toContain('S256')
  expect(answer.searchParams.get('error_description')).not.toContain('latchkey_pkce')
})

test('an application with a secret is not served without it, and a public one not with it', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const confidential = await obtainCode(issuer, {})
  const open = await obtainCode(issuer, isPublic)
  const ask = async (form: Readonly<Record<string, string>>) =>
    (await (await issuer.fetch(`${issuer.url}/oidc/token`, post(form))).json()) as { error: string }

  expect((await ask(confidential.form)).error).toBe('invalid_client')
  const client_secret = issuer.secretOf(open.application)
  expect((await ask({ ...open.form, client_secret })).error).toBe('invalid_client')
})

test('a native application with openid-client and without a secret logs in', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const redirectUrls = ['http://127.0.0.1:47110/callback']
  const application = await issuer.addApplication({ redirectUrls, metadata: isPublic })
  const app = await createClient(issuer, application)
  const config = new client.Configuration(
    app.config.serverMetadata(),
    application.id,
    undefined,
    client.None(),
  )
  client.allowInsecureRequests(config)
  config[client.customFetch] = issuer.fetch as client.CustomFetch
  const { begun, callback } = await logIn(issuer, app, ada)

  const tokens = await client.authorizationCodeGrant(
    config,
    new URL(callback.location ?? ''),
    begun.checks,
  )

  expect(tokens.claims()?.email).toBe(ada.email)
})

test.each([
  [{}, false, 'latchkey_pkce'],
  [{}, true, 'latchkey_pkce'],
  [{ latchkey_pkce: 'optional' }, false, 'latchkey_nonce'],
])(
  'a request without PKCE is refused in a sentence that names the metadata, in the answer and in the log (metadata %o, nonce %s)',
  async (metadata, nonce, named) => {
    const lines: string[] = []
    const note = (_facts: object, message: string) => void lines.push(message)
    const logger = { debug: () => {}, warn: note, error: note }
    await using issuer = await startIssuer({ logger })
    const application = await issuer.addApplication({ metadata: metadata as never })
    const app = await createClient(issuer, application)
    const url = new URL((await app.begin()).url)
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
    if (!nonce) url.searchParams.delete('nonce')

    const answer = new URL((await createBrowser(issuer).get(url.href)).location ?? '')

    expect(answer.searchParams.get('error_description')).toContain(`${named}: optional`)
    expect(lines.some((line) => line.includes(`${named}: optional`))).toBe(true)
  },
)

test('with latchkey_pkce and latchkey_nonce optional, a request with neither logs in', async () => {
  await using issuer = await startIssuer()
  await issuer.addUser(ada)
  const metadata = { latchkey_pkce: 'optional', latchkey_nonce: 'optional' }
  const application = await issuer.addApplication({ metadata })
  const app = await createClient(issuer, application)
  const url = new URL((await app.begin()).url)
  for (const name of ['code_challenge', 'code_challenge_method', 'nonce']) {
    url.searchParams.delete(name)
  }
  const browser = createBrowser(issuer)

  const callback = await browser.submit(await browser.get(url.href), ada)

  const tokens = await client.authorizationCodeGrant(app.config, new URL(callback.location ?? ''), {
    expectedState: url.searchParams.get('state') ?? '',
    idTokenExpected: true,
  })
  expect(tokens.claims()).toMatchObject({ email: ada.email })
  expect(tokens.claims()?.nonce).toBeUndefined()
})
