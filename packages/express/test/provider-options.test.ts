import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { type AuthOptions, appleClientSecret, requireUser } from '@latchkey/express'
import type { MisbehavingProviderOptions } from '@latchkey/testing/misbehaving-provider'
import { afterEach, expect, test, vi } from 'vitest'
import { remember } from '../../../test/support/leaks.ts'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

afterEach(() => {
  vi.useRealTimers()
})

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

function start(
  options: AuthOptions = {},
  provider: MisbehavingProviderOptions = {},
): Promise<Site> {
  return startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? 'in' : 'out')
      })
      app.get('/refresh', requireUser(), async (req, res) => {
        await req.auth.accessToken({ force: true })
        res.send('refreshed')
      })
    },
    options,
    undefined,
    provider,
  )
}

async function logIn(site: Site, browser: Browser = createBrowser()): Promise<Browser> {
  await browser.open(`${site.url}/login`)
  expect((await browser.open(site.url)).text).toBe('in')
  return browser
}

/** The body of the last token request. */
function lastTokenRequest(site: Site): URLSearchParams {
  return site.provider.requests.findLast(({ path }) => path === '/token')?.body as URLSearchParams
}

function decode(part: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
}

test('metadata replaces members of the discovery document', async () => {
  await using site = await start({ metadata: { end_session_endpoint: 'https://vendor.test/bye' } })
  const browser = await logIn(site)

  const left = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  expect(left.headers.get('location')).toMatch(/^https:\/\/vendor\.test\/bye\?/)
})

test('logoutParams adds parameters to the logout at the provider, and leaves others out', async () => {
  await using site = await start({
    logoutParams: {
      logout_uri: 'https://app.test/bye',
      id_token_hint: false,
      post_logout_redirect_uri: false,
    },
  })
  const browser = await logIn(site)

  const left = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  const { searchParams } = new URL(left.headers.get('location') ?? '')
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'app',
    logout_uri: 'https://app.test/bye',
  })
})

test('clientSecret as a function is called at every exchange', async () => {
  const secrets = ['first-secret-of-the-function', 'second-secret-of-the-function']
  remember('client secret', ...secrets)
  let calls = 0
  await using site = await start({
    clientAuth: 'client_secret_post',
    clientSecret: async () => secrets[calls++] ?? '',
  })
  const browser = await logIn(site)
  expect(lastTokenRequest(site).get('client_secret')).toBe(secrets[0])

  await browser.open(`${site.url}/refresh`)

  expect(lastTokenRequest(site).get('client_secret')).toBe(secrets[1])
})

test('a function for clientSecret that fails is a fault of the configuration', async () => {
  await using site = await start({
    clientSecret: () => {
      throw new Error('the vault is sealed')
    },
  })

  const { response, text } = await createBrowser().open(`${site.url}/login`)

  expect(response.status).toBe(500)
  expect(text).toContain('LATCHKEY_CONFIG_INVALID')
})

test('appleClientSecret() makes the JWT that Apple takes, and makes it anew before it expires', () => {
  const privateKey = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const ids = { teamId: 'TEAM123456', clientId: 'com.example.app', keyId: 'KEY1234567' }
  const secret = appleClientSecret({ ...ids, privateKey })

  const first = secret()
  const [header, payload, signature = ''] = first.split('.')

  expect(decode(header)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
  const { iat, exp, ...claims } = decode(payload)
  expect(claims).toEqual({
    iss: 'TEAM123456',
    sub: 'com.example.app',
    aud: 'https://appleid.apple.com',
  })
  expect(Number(exp) - Number(iat)).toBe(3600)
  const key = { key: ec.publicKey, dsaEncoding: 'ieee-p1363' as const }
  const isGood = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  expect(isGood).toBe(true)
  expect(secret()).toBe(first)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3100_000 })
  expect(secret()).not.toBe(first)
})

test('appleClientSecret() refuses a key of another kind', () => {
  const privateKey = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

  expect(() => appleClientSecret({ teamId: 'T', clientId: 'c', keyId: 'k', privateKey })).toThrow(
    /P-256/,
  )
})

test('pushedAuthorizationRequests: true pushes the parameters though the provider does not ask for it', async () => {
  await using site = await start({ pushedAuthorizationRequests: true })

  const begun = await createBrowser().send(`${site.url}/login`)

  const { searchParams } = new URL(begun.headers.get('location') ?? '')
  expect([...searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
  await logIn(site)
})

test('pushedAuthorizationRequests: true is an error at a provider that does not support them', async () => {
  await using site = await start({ pushedAuthorizationRequests: true })
  site.provider.metadata = { pushed_authorization_request_endpoint: undefined }

  const { text } = await createBrowser().open(`${site.url}/login`)

  expect(text).toContain('LATCHKEY_PROVIDER_INVALID')
})

test.each<[string, KeyObject, AuthOptions['clientAssertion'], Record<string, unknown>]>([
  ['as it is', ec.privateKey, undefined, { alg: 'ES256' }],
  ['with a kid', ec.privateKey, { keyId: 'key-1' }, { alg: 'ES256', kid: 'key-1' }],
  ['with PS256', rsa.privateKey, { algorithm: 'PS256' }, { alg: 'PS256' }],
  ['for the token endpoint', ec.privateKey, { audience: 'token_endpoint' }, { alg: 'ES256' }],
])('a client assertion is made %s', async (_how, clientKey, clientAssertion, header) => {
  await using site = await start({
    clientSecret: undefined,
    clientAuth: 'private_key_jwt',
    clientKey,
    ...(clientAssertion ? { clientAssertion } : {}),
  })

  await logIn(site)

  const assertion = lastTokenRequest(site).get('client_assertion') ?? ''
  const [head, payload, signature = ''] = assertion.split('.')
  expect(decode(head)).toEqual(header)
  const { issuer } = site.provider
  const isForEndpoint = clientAssertion?.audience === 'token_endpoint'
  expect(decode(payload).aud).toBe(isForEndpoint ? `${issuer}/token` : issuer)
  const isPss = header.alg === 'PS256'
  const key = {
    key: createPublicKey(clientKey),
    dsaEncoding: 'ieee-p1363' as const,
    ...(isPss ? { padding: 6, saltLength: 32 } : {}),
  }
  const signed = Buffer.from(`${head}.${payload}`)
  expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('tokenParams are in every request to the token endpoint', async () => {
  await using site = await start({ tokenParams: { resource: 'https://api.test' } })
  const browser = await logIn(site)
  expect(lastTokenRequest(site).get('resource')).toBe('https://api.test')

  await browser.open(`${site.url}/refresh`)

  expect(lastTokenRequest(site).get('grant_type')).toBe('refresh_token')
  expect(lastTokenRequest(site).get('resource')).toBe('https://api.test')
})

test('a login works over plain http at a host that insecureHttpHosts names', async () => {
  const issuer = 'http://keycloak:8080'
  await using site = await start({ insecureHttpHosts: ['keycloak'] }, { issuer })

  await logIn(site, createBrowser({ [issuer]: site.provider.url }))
})
