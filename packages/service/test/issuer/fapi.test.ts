import { hash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { createFapiClient, proofOf } from './support/fapi-client.ts'
import {
  allStoreKinds,
  movesTheClock,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'
import { ada, moveTime, obtainCode, post } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

async function start(store = storeKinds[0]) {
  const issuer = await startIssuer(store ? { store } : {})
  await issuer.addUser(ada)
  return issuer
}

const refusal = (error: string) => expect.objectContaining({ error })

/** What a request to the authorization endpoint leads to, without a browser that is logged in. */
async function authorize(issuer: TestIssuer, parameters: Readonly<Record<string, string>>) {
  const query = new URLSearchParams(parameters)
  const response = await issuer.fetch(`${issuer.url}/oidc/auth?${query}`, { redirect: 'manual' })
  const { searchParams } = new URL(response.headers.get('location') ?? '', issuer.url)
  return {
    status: response.status,
    error: searchParams.get('error'),
    description: searchParams.get('error_description'),
    text: await response.text(),
  }
}

describe.each(storeKinds)('on %s', (store) => {
  test.each(['ES256', 'PS256'] as const)(
    'an application on FAPI 2.0 logs in, reads userinfo and refreshes, with keys for %s',
    async (algorithm) => {
      await using issuer = await start(store)
      const app = await createFapiClient(issuer, { algorithm })
      const login = await app.logIn(ada)
      expect(login.callback.searchParams.get('iss')).toBe(issuer.url)

      const tokens = await app.redeem(login)

      expect(tokens.token_type).toBe('dpop')
      expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('PS256')
      const { sub = '' } = tokens.claims() ?? {}
      const { DPoP } = app
      const user = await client.fetchUserInfo(app.config, tokens.access_token, sub, { DPoP })
      expect(user.email).toBe(ada.email)
      const refreshed = await app.refresh(tokens.refresh_token ?? '')
      expect(refreshed.token_type).toBe('dpop')
      expect(refreshed.access_token).not.toBe(tokens.access_token)
    },
  )
})

describe('clients and their authentication', () => {
  test('FAPI 2.0 §5.3.2.1-2: the grant of a password is not supported', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { status, body } = await app.post('/oidc/token', { grant_type: 'password', ...ada })
    expect([status, body.error]).toEqual([400, 'unsupported_grant_type'])
  })

  test('FAPI 2.0 §5.3.2.1-3 and -6: the client secret of the application is not accepted', async () => {
    await using issuer = await start()
    const { application, prepare } = await createFapiClient(issuer)
    const { parameters } = await prepare()
    const secret = issuer.secretOf(application)
    const form = { client_id: application.id, client_secret: secret, ...parameters }
    const answer = await issuer.fetch(`${issuer.url}/oidc/par`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    expect([answer.status, await answer.json()]).toEqual([401, refusal('invalid_client')])
  })

  test.each([
    ['the token endpoint', '/oidc/token'],
    ['a list of audiences', ''],
  ])('FAPI 2.0 §5.3.2.1-8: an assertion for %s is refused', async (_name, path) => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare()
    const aud = path === '' ? [issuer.url] : issuer.url + path
    const refused = await app.post('/oidc/par', parameters, { assertion: { claims: { aud } } })
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
  })

  test('an assertion is used once, also by requests at once', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare()
    const claims = { jti: crypto.randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => app.post('/oidc/par', parameters, { assertion: { claims } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401])
  })

  test.each(allStoreKinds)(
    'RFC 7523 §3-7: on %s, an assertion is used once for as long as it is valid',
    async (store) => {
      await using issuer = await start(store)
      const app = await createFapiClient(issuer)
      const { parameters } = await app.prepare()
      const now = Math.floor(Date.now() / 1000)
      const claims = { jti: crypto.randomUUID(), iat: now, exp: now + 600 }
      const use = async () => {
        const answer = await app.post('/oidc/par', parameters, { assertion: { claims } })
        return answer.status
      }
      expect(await use()).toBe(201)
      moveTime(599)
      expect(await use()).toBe(401)
    },
  )

  describe.each(['iat', 'nbf'])('FAPI 2.0 §5.3.2.1-13: an assertion whose %s lies', (claim) => {
    test.each([
      [10, 201],
      [90, 401],
      [86_400, 401],
    ])('%i seconds in the future gets %i', async (ahead, status) => {
      await using issuer = await start()
      const app = await createFapiClient(issuer)
      const { parameters } = await app.prepare()
      const now = Math.floor(Date.now() / 1000)
      const claims = { [claim]: now + ahead, exp: now + 120 }
      const answer = await app.post('/oidc/par', parameters, { assertion: { claims } })
      expect(answer.status).toBe(status)
    })
  })

  test.each([
    ['that expires in 10 minutes gets 201', 600, 201],
    ['that expires in 12 minutes gets 401', 720, 401],
    ['that expires in a year gets 401', 365 * 86_400, 401],
  ])('RFC 7523 §3-4: an assertion %s', async (_name, seconds, status) => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare()
    const claims = { exp: Math.floor(Date.now() / 1000) + seconds }
    const answer = await app.post('/oidc/par', parameters, { assertion: { claims } })
    expect(answer.status).toBe(status)
  })

  test('RFC 7515 §4.1.11: an assertion with critical header parameters is refused', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare()
    const header = { crit: ['b64'], b64: true }
    const answer = await app.post('/oidc/par', parameters, { assertion: { header } })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })

  test('FAPI 2.0 §5.4.1: assertions with RS256 are refused', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer, { algorithm: 'PS256' })
    const { parameters } = await app.prepare()
    const jwk = await crypto.subtle.exportKey('jwk', app.keys.privateKey)
    const parts = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('jwk', { ...jwk, alg: 'RS256' }, parts, true, [
      'sign',
    ])
    const { id } = app.application
    const client_assertion = await new SignJWT({ iss: id, sub: id, aud: issuer.url, jti: 'one' })
      .setProtectedHeader({ alg: 'RS256' })
      .setExpirationTime('1m')
      .sign(key)
    const refused = await app.post('/oidc/par', { ...parameters, client_assertion })
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
  })
})

describe('pushed authorization requests', () => {
  test('FAPI 2.0 §5.3.2.2-3: a request that was not pushed is refused', async () => {
    await using issuer = await start()
    const { application, prepare } = await createFapiClient(issuer)
    const { parameters } = await prepare()
    const refused = await authorize(issuer, {
      client_id: application.id,
      response_type: 'code',
      ...parameters,
    })
    expect(refused.error).toBe('invalid_request')
    expect(refused.description).toMatch(/Pushed Authorization Request/)
  })

  test('a login that starts again in the browser is still a pushed request', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const [begun, other] = [await app.begin(), await app.begin()]
    const [browser, tab] = [createBrowser(issuer), createBrowser(issuer)]
    const form = await tab.get(begun.url)
    await browser.get(other.url)
    browser.plant(tab)
    moveTime(61)

    const callback = await browser.submit(await browser.get(form.url), ada)

    const { checks } = begun
    const tokens = await app.redeem({ callback: new URL(callback.location ?? ''), checks })
    expect(tokens.claims()?.email).toBe(ada.email)
  })

  test('FAPI 2.0 §5.3.2.2-4: a pushed request without authentication is refused', async () => {
    await using issuer = await start()
    const { application, prepare } = await createFapiClient(issuer)
    const { parameters } = await prepare()
    const answer = await issuer.fetch(`${issuer.url}/oidc/par`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: application.id, ...parameters }),
    })
    expect([answer.status, await answer.json()]).toEqual([401, refusal('invalid_client')])
  })

  test.each([
    ['§5.3.2.2-5: without PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['§5.3.2.2-5: with PKCE plain', { code_challenge_method: 'plain' }],
    ['§5.3.2.2-6: without redirect_uri', { redirect_uri: '' }],
    [
      '§5.3.2.2-6: with a redirect_uri that only begins like a registered one',
      { redirect_uri: 'http://localhost:3000/callback/more' },
    ],
    ['with response_mode=fragment', { response_mode: 'fragment' }],
    ['with 9,000 bytes of state', { state: 's'.repeat(9_000) }],
  ])('FAPI 2.0 %s, a pushed request is refused', async (_name, changes) => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare(changes)
    const { status, body } = await app.post('/oidc/par', parameters)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^(invalid_request|unauthorized_client|unsupported_response_mode)$/)
  })

  test('FAPI 2.0 §5.3.2.2-12: a request_uri expires after 60 seconds', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { parameters } = await app.prepare()
    const { body } = await app.post('/oidc/par', parameters)
    expect(body.expires_in).toBe(60)
    moveTime(61)
    const late = await authorize(issuer, {
      client_id: app.application.id,
      request_uri: body.request_uri ?? '',
    })
    expect([late.status, late.text]).toEqual([400, expect.stringMatching(/expired/)])
  })

  test('a request_uri is good for one login', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const login = await app.logIn(ada)
    const again = await login.browser.get(login.url)
    expect(again.location ?? '').not.toContain('code=')
    expect(again.html).toMatch(/already used/)
  })
})

describe('authorization responses and codes', () => {
  test('FAPI 2.0 §5.3.2.2-10 and -11: the response is a redirect with 303 over GET', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { response } = await app.logIn(ada)
    expect(response.status).toBe(303)
  })

  test('FAPI 2.0 §5.3.2.2-14: scripts of other sites cannot use the authorization endpoint', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { url } = await app.begin()
    const headers = { origin: 'http://localhost:3000' }
    const answer = await issuer.fetch(url, { headers, redirect: 'manual' })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('FAPI 2.0 §5.3.2.1-11: a code expires after 60 seconds', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const login = await app.logIn(ada)
    moveTime(61)
    await expect(app.redeem(login)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('FAPI 2.0 §5.3.2.2-9: a code is good once, and its second use ends the tokens of the first', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const login = await app.logIn(ada)
    const { refresh_token: token = '' } = await app.redeem(login)
    await expect(app.redeem(login)).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(app.refresh(token)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('FAPI 2.0 §5.3.2.1-12: a code whose login named a DPoP key is redeemed with this key only', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const dpop_jkt = await app.DPoP.calculateThumbprint()
    const stolen = await app.logIn(ada, { dpop_jkt })
    const thief = await app.foreignKey()
    await expect(app.redeem(stolen, {}, thief)).rejects.toMatchObject({ error: 'invalid_grant' })
    const login = await app.logIn(ada, { dpop_jkt })
    expect((await app.redeem(login)).token_type).toBe('dpop')
  })
})

describe('access tokens and their keys', () => {
  const code = async (app: Awaited<ReturnType<typeof createFapiClient>>) => {
    const { callback, checks } = await app.logIn(ada)
    return {
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: app.redirectUri,
      code_verifier: checks.pkceCodeVerifier,
    }
  }

  test('FAPI 2.0 §5.3.2.1-4: no token without a proof of possession', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { status, body } = await app.post('/oidc/token', await code(app))
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
  })

  test('FAPI 2.0 §5.3.2.1-10: a proof without a nonce is answered with one', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const form = await code(app)
    const claims = { htm: 'POST', htu: `${issuer.url}/oidc/token` }
    const first = await proofOf(app.proofKeys, claims)
    const asked = await app.post('/oidc/token', form, { headers: { dpop: first } })
    expect([asked.status, asked.body.error]).toEqual([400, 'use_dpop_nonce'])
    const nonce = asked.headers.get('dpop-nonce')
    const second = await proofOf(app.proofKeys, { ...claims, nonce })
    const answered = await app.post('/oidc/token', form, { headers: { dpop: second } })
    expect([answered.status, answered.body.token_type]).toEqual([200, 'DPoP'])
  })

  test.each(allStoreKinds)(
    'on %s, a proof is used once, also by requests at once',
    async (store) => {
      await using issuer = await start(store)
      const app = await createFapiClient(issuer)
      const { refresh_token = '' } = await app.redeem(await app.logIn(ada))
      const form = { grant_type: 'refresh_token', refresh_token }
      const claims = { htm: 'POST', htu: `${issuer.url}/oidc/token` }
      const asked = await app.post('/oidc/token', form, {
        headers: { dpop: await proofOf(app.proofKeys, claims) },
      })
      const nonce = asked.headers.get('dpop-nonce')
      const dpop = await proofOf(app.proofKeys, { ...claims, nonce })
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => app.post('/oidc/token', form, { headers: { dpop } })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    },
  )

  /** Sends a proof that is changed as asked, and has a nonce of the server. */
  const withNonce = async (
    app: Awaited<ReturnType<typeof createFapiClient>>,
    form: Record<string, string>,
    { claims = {}, header = {} }: { claims?: object; header?: Record<string, unknown> },
  ) => {
    const usual = { htm: 'POST', htu: `${app.config.serverMetadata().issuer}/oidc/token` }
    const first = await proofOf(app.proofKeys, usual)
    const asked = await app.post('/oidc/token', form, { headers: { dpop: first } })
    const nonce = asked.headers.get('dpop-nonce')
    const dpop = await proofOf(app.proofKeys, { ...usual, nonce, ...claims }, header)
    return await app.post('/oidc/token', form, { headers: { dpop } })
  }

  test.each([
    ['10 seconds ahead gets 200', 10, 200],
    ['90 seconds ahead gets 400', 90, 400],
    ['an hour ahead gets 400', 3_600, 400],
    ['4 minutes old gets 200', -240, 200],
    ['an hour old gets 400', -3_600, 400],
  ])('FAPI 2.0 §5.3.2.1-13: a proof with a nonce that is %s', async (_name, ahead, status) => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const claims = { iat: Math.floor(Date.now() / 1000) + ahead }
    const answer = await withNonce(app, await code(app), { claims })
    expect([answer.status, answer.body.error]).toEqual([
      status,
      status === 400 ? 'invalid_dpop_proof' : undefined,
    ])
  })

  test('RFC 7515 §4.1.11: a proof with critical header parameters is refused', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const header = { crit: ['b64'], b64: true }
    const { status, body } = await withNonce(app, await code(app), { header })
    expect([status, body.error]).toEqual([400, 'invalid_dpop_proof'])
  })

  test.each([
    ['90 seconds ahead', 90],
    ['an hour old', -3_600],
  ])(
    'FAPI 2.0 §5.3.2.1-13: userinfo refuses a proof with a nonce that is %s',
    async (_name, ahead) => {
      await using issuer = await start()
      const app = await createFapiClient(issuer)
      const { access_token: token } = await app.redeem(await app.logIn(ada))
      const htu = `${issuer.url}/oidc/userinfo`
      const ath = hash('sha256', token, 'base64url')
      const ask = async (claims: object) => {
        const dpop = await proofOf(app.proofKeys, { htm: 'GET', htu, ath, ...claims })
        const headers = { authorization: `DPoP ${token}`, dpop }
        return issuer.fetch(htu, { headers })
      }
      const now = Math.floor(Date.now() / 1000)
      const nonce = (await ask({ iat: now - 3_600 })).headers.get('dpop-nonce')
      expect((await ask({ nonce })).status).toBe(200)

      const refused = await ask({ nonce, iat: now + ahead })

      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toContain('invalid_dpop_proof')
    },
  )

  test('RFC 9449 §11.1: a proof from the future is used once for as long as it is accepted', async () => {
    await using issuer = await start()
    const { form } = await obtainCode(issuer, { scope: 'openid offline_access' })
    const keys = await client.randomDPoPKeyPair('ES256', { extractable: true })
    const htu = `${issuer.url}/oidc/token`
    const iat = Math.floor(Date.now() / 1000) + 290
    const headers = { dpop: await proofOf(keys, { htm: 'POST', htu, iat }) }
    const first = await post(issuer, issuer.application, 'token', form, headers)
    expect([first.status, first.body.token_type]).toEqual([200, 'DPoP'])
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token ?? '' }
    moveTime(305)
    const replayed = await post(issuer, issuer.application, 'token', refresh, headers)
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant'])
  })

  test('userinfo refuses a stolen access token: without a proof, and with the proof of another key', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { access_token: token } = await app.redeem(await app.logIn(ada))
    const ask = async (headers: Record<string, string>) =>
      (await issuer.fetch(`${issuer.url}/oidc/userinfo`, { headers })).status
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(401)
    expect(await ask({ authorization: `DPoP ${token}` })).toBe(400)
    const DPoP = await app.foreignKey()
    const stolen = client.fetchUserInfo(app.config, token, client.skipSubjectCheck, { DPoP })
    await expect(stolen).rejects.toThrow()
  })

  test('FAPI 2.0 §5.3.2.1-9: a refresh token stays the same, and is good for the application only', async () => {
    await using issuer = await start()
    const app = await createFapiClient(issuer)
    const { refresh_token: token = '' } = await app.redeem(await app.logIn(ada))
    const first = await app.refresh(token)
    expect(first.refresh_token ?? token).toBe(token)
    await expect(app.refresh(token)).resolves.toMatchObject({ token_type: 'dpop' })
    const form = { grant_type: 'refresh_token', refresh_token: token }
    const other = await createFapiClient(issuer)
    expect((await other.post('/oidc/token', form)).status).toBe(400)
  })

  test('FAPI 2.0 §5.4.1: an access token for an API is signed with PS256 and names its key', async () => {
    await using issuer = await start()
    const api = 'https://api.example'
    const app = await createFapiClient(issuer, { metadata: { latchkey_resources: api } })
    const login = await app.logIn(ada, { resource: api })
    const { access_token: token } = await app.redeem(login, { resource: api })
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'PS256', typ: 'at+jwt' })
    const jkt = await app.DPoP.calculateThumbprint()
    expect(decodeJwt(token)).toMatchObject({ aud: api, cnf: { jkt } })
  })
})

test('FAPI 2.0 §5.3.2.1-1: discovery says what an application on the profile needs', async () => {
  await using issuer = await start()
  const answer = await issuer.fetch(`${issuer.url}/.well-known/openid-configuration`)
  const metadata = (await answer.json()) as Record<string, string[]>
  expect(metadata).toMatchObject({
    pushed_authorization_request_endpoint: `${issuer.url}/oidc/par`,
    authorization_response_iss_parameter_supported: true,
    code_challenge_methods_supported: ['S256'],
  })
  expect(metadata.token_endpoint_auth_methods_supported).toContain('private_key_jwt')
  expect(metadata.token_endpoint_auth_signing_alg_values_supported).toContain('ES256')
  expect(metadata.dpop_signing_alg_values_supported).toContain('ES256')
  expect(metadata.id_token_signing_alg_values_supported).toContain('PS256')
})

test('an application without the profile logs in as before, and may push its requests too', async () => {
  await using issuer = await start()
  const app = await createClient(issuer)
  const begun = await app.begin({ scope: 'openid offline_access' })
  const parameters = Object.fromEntries(new URL(begun.url).searchParams)
  const url = await client.buildAuthorizationUrlWithPAR(app.config, parameters)
  const browser = createBrowser(issuer)
  const callback = await browser.submit(await browser.get(url.href), ada)
  const tokens = await app.redeem(begun, callback)
  expect(tokens.token_type).toBe('bearer')
  expect(tokens.refresh_token).toBeDefined()
  expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('RS256')
})
