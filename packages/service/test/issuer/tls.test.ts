import * as client from 'openid-client'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect, test } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { createIdentityService } from '../../src/index.ts'
import { createBrowser } from './support/browser.ts'
import type { Fetch } from './support/loopback.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const redirectUri = 'https://shop.acme.test/callback'

/** A `fetch` that finds every name on this machine and trusts one certificate alone. */
function fetchTrusting(cert: string): Fetch {
  const dispatcher = new Agent({
    connect: { ca: cert, lookup: (_name, _options, found) => found(null, [loopback]) },
  })
  return (url, init) =>
    undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>
}

const loopback = { address: '127.0.0.1', family: 4 }

test('a service that listens with a certificate logs a user in over https, and browsers hold to https', async () => {
  const tls = await selfSigned('login.acme.test')
  await using service = await createIdentityService()
  const { port } = await service.listen({ tls })
  const issuer = `https://login.acme.test:${port}`
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: `login.acme.test:${port}` },
        applications: [{ name: 'Shop', redirect_urls: [redirectUri] }],
        users: [
          {
            profile: { email: ada.email, email_verified: true },
            password: { alg: 'plain', hash: ada.password },
          },
        ],
      },
    ],
  })
  const [tenant] = await service.admin.listTenants()
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const fetch = fetchTrusting(tls.cert)
  const listed = await fetch(`${issuer}/v1/tenants/${tenant?.id}/applications`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await listed.json()) as { data: { id: string; secret: string }[] }
  const { id = '', secret = '' } = data[0] ?? {}

  const config = await client.discovery(new URL(issuer), id, secret, undefined, {
    [client.customFetch]: fetch as client.CustomFetch,
  })
  config[client.customFetch] = fetch as client.CustomFetch
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = createBrowser({ url: issuer, fetch })
  const form = await browser.get(url.href)
  const callback = await browser.submit(form, ada)
  const tokens = await client.authorizationCodeGrant(config, new URL(callback.location ?? ''), {
    pkceCodeVerifier,
  })

  expect(tokens.claims()).toMatchObject({ iss: issuer, email: ada.email })
  expect(form.headers.get('strict-transport-security')).toBe('max-age=31536000')
  const { headers } = await fetch(`${issuer}/oidc/jwks`)
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
})

test('a certificate that is not trusted, or for another name, is refused by clients', async () => {
  await using service = await createIdentityService()
  const tls = await selfSigned('login.acme.test')
  const { port } = await service.listen({ tls })
  const stranger = fetchTrusting((await selfSigned('login.acme.test')).cert)
  await expect(stranger(`https://login.acme.test:${port}/x/health`)).rejects.toThrow()
  const fetch = fetchTrusting(tls.cert)
  await expect(fetch(`https://other.test:${port}/x/health`)).rejects.toThrow()
  expect((await fetch(`https://login.acme.test:${port}/x/health`)).status).toBe(200)
})

const pair = await selfSigned('login.acme.test')
const other = await selfSigned('login.acme.test')

test.each([
  ['no key', { cert: pair.cert, key: '' }, 'the key is missing'],
  ['no certificate', { cert: '', key: pair.key }, 'the certificate is missing'],
  ['a key of another certificate', { ...pair, key: other.key }, 'does not belong to'],
  ['no certificate in PEM', { ...pair, cert: 'x' }, 'is not a certificate in PEM'],
  ['no key in PEM', { ...pair, key: 'a secret' }, 'is not an unencrypted private key in PEM'],
])('listening with %s is refused with a sentence that repeats no key', async (_, tls, text) => {
  await using service = await createIdentityService()
  const error = await service.listen({ tls }).catch((thrown: Error) => thrown)
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain(text)
  expect(String(error)).not.toContain('a secret')
})

test('an https issuer on this very machine does not bind the browser to https', async () => {
  await using service = await createIdentityService()
  await service.admin.createTenant({ domain: 'acme.localhost' })
  const { headers } = await service.fetch('https://acme.localhost/oidc/jwks')
  expect(headers.get('strict-transport-security')).toBeNull()
})
