import type { webcrypto } from 'node:crypto'
import { exportJWK, type JWK, SignJWT } from 'jose'
import * as client from 'openid-client'
import type { Application } from '../../../src/store/records.ts'
import { createBrowser } from './browser.ts'
import { applicationUrl, type TestIssuer } from './issuer.ts'

type Algorithm = 'ES256' | 'PS256'

interface Options {
  readonly algorithm?: Algorithm
  readonly metadata?: Readonly<Record<string, string>>
  /** Default: new ones. */
  readonly keys?: webcrypto.CryptoKeyPair
  /** The name of its key. */
  readonly kid?: string
  /** The address at which it publishes its keys; by default, its metadata has them. */
  readonly jwksUri?: string
}

/** An application on FAPI 2.0, as an OpenID client with a library that nobody here wrote. */
export async function createFapiClient(
  issuer: TestIssuer,
  { algorithm = 'ES256', metadata = {}, kid, jwksUri, ...options }: Options = {},
) {
  const keys = options.keys ?? (await client.randomDPoPKeyPair(algorithm, { extractable: true }))
  const listed = async () => JSON.stringify({ keys: [await publicJwk(keys.publicKey)] })
  const application = await issuer.addApplication({
    metadata: {
      latchkey_profile: 'fapi2',
      ...(jwksUri ? { latchkey_jwks_uri: jwksUri } : { latchkey_jwks: await listed() }),
      ...metadata,
    },
  })
  const config = await client.discovery(
    new URL(issuer.url),
    application.id,
    { id_token_signed_response_alg: 'PS256' },
    client.PrivateKeyJwt({ key: keys.privateKey, ...(kid && { kid }) }),
    {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
      [client.customFetch]: issuer.fetch as client.CustomFetch,
    },
  )
  config[client.customFetch] = issuer.fetch as client.CustomFetch
  const proofKeys = await client.randomDPoPKeyPair('ES256', { extractable: true })
  const DPoP = client.getDPoPHandle(config, proofKeys)
  const redirectUri = application.redirectUrls[0] ?? `${applicationUrl}/callback`

  /** The parameters of a login, and the checks of its response. */
  async function prepare(changes: Readonly<Record<string, string>> = {}) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const checks = {
      pkceCodeVerifier,
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
      idTokenExpected: true,
    }
    const parameters: Record<string, string> = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email offline_access',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      ...changes,
    }
    return { parameters, checks }
  }

  async function begin(changes: Readonly<Record<string, string>> = {}) {
    const { parameters, checks } = await prepare(changes)
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters)
    return { url: url.href, checks }
  }

  /** A login up to the redirect to the application. */
  async function logIn(
    credentials: { email: string; password: string },
    changes: Readonly<Record<string, string>> = {},
  ) {
    const begun = await begin(changes)
    const browser = createBrowser(issuer)
    const callback = await browser.submit(await browser.get(begun.url), credentials)
    return { ...begun, browser, callback: new URL(callback.location ?? ''), response: callback }
  }

  const redeem = (
    { callback, checks }: Pick<Awaited<ReturnType<typeof logIn>>, 'callback' | 'checks'>,
    parameters: Record<string, string> = {},
    handle = DPoP,
  ) => client.authorizationCodeGrant(config, callback, checks, parameters, { DPoP: handle })

  /** A request to an endpoint with an assertion of the client, changed as asked. */
  async function post(
    path: string,
    form: Readonly<Record<string, string>>,
    {
      headers = {},
      assertion = {},
    }: { headers?: Record<string, string>; assertion?: Changes } = {},
  ) {
    const key = assertion.key ?? keys.privateKey
    const client_assertion = await assertionOf(issuer, application, key, {
      algorithm,
      ...assertion,
    })
    const response = await issuer.fetch(`${issuer.url}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        client_id: application.id,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
        ...form,
      }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, string>,
    }
  }

  return {
    ...{ application, config, DPoP, proofKeys, keys, redirectUri },
    ...{ prepare, begin, logIn, redeem, post },
    refresh: (token: string, handle = DPoP) =>
      client.refreshTokenGrant(config, token, {}, { DPoP: handle }),
    /** A handle with another key, as a thief of tokens would have. */
    foreignKey: async () => client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256')),
  }
}

interface Changes {
  /** Signs in place of the key of the application. */
  readonly key?: webcrypto.CryptoKey
  readonly algorithm?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

function assertionOf(
  issuer: TestIssuer,
  { id }: Application,
  key: webcrypto.CryptoKey,
  { algorithm = 'ES256', claims, header }: Changes,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: id, sub: id, aud: issuer.url, jti: crypto.randomUUID(), iat: now }
  return new SignJWT({ ...usual, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: algorithm, ...header })
    .sign(key)
}

/** A proof of possession, changed as asked. */
export async function proofOf(
  { publicKey, privateKey }: webcrypto.CryptoKeyPair,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const jwk = await publicJwk(publicKey)
  return new SignJWT({ jti: crypto.randomUUID(), iat: now, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey)
}

async function publicJwk(key: webcrypto.CryptoKey): Promise<JWK> {
  const { kty, crv, x, y, n, e } = await exportJWK(key)
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }))
}
