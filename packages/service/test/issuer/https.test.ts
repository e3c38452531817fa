import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { createIdentityService } from '../../src/index.ts'
import { createBrowser } from './support/browser.ts'

const issuer = 'https://login.acme.test'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const redirectUri = 'https://shop.acme.test/callback'

test('an issuer on https logs in without a socket, with cookies that only it can set', async () => {
  await using service = await createIdentityService()
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const tenant = await service.admin.createTenant({ domain: 'login.acme.test' })
  const call = async (path: string, body?: object) => {
    const answer = await service.fetch(`https://api.test/v1/tenants/${tenant.id}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Record<string, string>
  }
  const { id = '' } = await call('/applications', {
    type: 'Application',
    name: 'Shop',
    login_url: 'https://shop.acme.test/login',
    logout_urls: [],
    redirect_urls: [redirectUri],
  })
  const { secret = '' } = await call(`/applications/${id}`)
  const user = await call('/users', { profile: { email: ada.email, email_verified: true } })
  const password = { alg: 'plain', hash: ada.password }
  await call(`/users/${user.id}/credentials`, { type: 'PasswordCredential', password })

  const config = await client.discovery(new URL(issuer), id, secret, undefined, {
    [client.customFetch]: service.fetch as client.CustomFetch,
  })
  config[client.customFetch] = service.fetch as client.CustomFetch
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = createBrowser({ url: issuer, fetch: service.fetch as never })
  const callback = await browser.submit(await browser.get(url.href), ada)
  const tokens = await client.authorizationCodeGrant(config, new URL(callback.location ?? ''), {
    pkceCodeVerifier,
  })

  expect(tokens.claims()).toMatchObject({ iss: issuer, sub: user.id, email: ada.email })
  const names = browser.cookies().map(({ name }) => name)
  expect(names).toContain('__Host-latchkey-session')
  expect(names).toContain('__Host-latchkey-device')
  for (const name of names) expect(name).toMatch(/^__(Host|Secure)-/)
  for (const line of browser.setCookies) {
    expect(line).toMatch(/; secure/i)
    expect(line).toMatch(/; httponly/i)
    expect(line).toMatch(/; samesite=lax/i)
  }
})

test.each(['localhost:4400', 'acme.localhost', '127.0.0.1', '127.0.0.2:4400', '[::1]:4400'])(
  'in development a tenant at %s, which is this machine, is issued over http',
  async (domain) => {
    await using service = await createIdentityService({ allowHttpOnLoopback: true })
    await service.admin.createTenant({ domain })
    const answer = await service.fetch(`http://${domain}/.well-known/openid-configuration`)
    expect(await answer.json()).toMatchObject({ issuer: `http://${domain}` })
    expect(answer.headers.get('strict-transport-security')).toBeNull()
  },
)
