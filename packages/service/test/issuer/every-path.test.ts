import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { applicationUrl, startIssuer, storeKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const requests = [
  ['GET', '/oidc/unknown', 404],
  ['POST', '/oidc/unknown', 404],
  ['GET', '/oidc/', 404],
  ['GET', '/oidc', 404],
  ['GET', '/oidc/TOKEN', 404],
  ['GET', '/oidc/%ff', 404],
  ['GET', '/oidc/auth/a/b', 404],
  ['GET', '/.well-known/unknown', 404],
  ['GET', '/nothing', 404],
  ['GET', '/oidc/token', 405],
  ['PUT', '/oidc/token', 405],
  ['OPTIONS', '/oidc/jwks', 405],
  ['GET', '/oidc/logout/confirm', 405],
  ['POST', '/oidc/jwks', 405],
  ['DELETE', '/nothing', 405],
  ['POST', '/account', 405],
  ['POST', '/signup', 405],
  ['POST', '/x/outbox', 405],
] as const

test.each(requests)(
  '%s %s of an issuer: browsers read a page, programs JSON',
  async (method, path, status) => {
    await using issuer = await startIssuer()
    const ask = (accept: string) => issuer.fetch(issuer.url + path, { method, headers: { accept } })
    const page = await ask('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toMatch(/^<!doctype html>[\s\S]*Acme/i)

    for (const accept of ['application/json', '*/*']) {
      const answer = await ask(accept)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(await answer.json()).toEqual({
        error: 'invalid_request',
        error_description: expect.stringMatching(/\.$|no such page$/),
      })
      expect(answer.headers.has('allow')).toBe(status === 405)
    }
  },
)

test.each(['introspect', 'register'])(
  'a program that asks for an endpoint that is not there, /oidc/%s, is told where the endpoints are named',
  async (name) => {
    await using issuer = await startIssuer()
    const answer = await issuer.fetch(`${issuer.url}/oidc/${name}`, { method: 'POST', body: 'a=b' })
    expect(answer.status).toBe(404)
    expect((await answer.json()) as object).toEqual({
      error: 'invalid_request',
      error_description: `There is no such endpoint. Those of this issuer are named in ${issuer.url}/.well-known/openid-configuration.`,
    })
  },
)

test('scripts of other origins may read the discovery document, after a preflight', async () => {
  await using issuer = await startIssuer()
  const url = `${issuer.url}/.well-known/openid-configuration`
  const headers = { origin: 'https://spa.example.com', 'access-control-request-method': 'GET' }
  const preflight = await issuer.fetch(url, { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET')
})

test.each(storeKinds)(
  'on %s, a tenant without any way in says so on a page that leads back to the application',
  async (store) => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    await issuer.changeSettings({ allowPasswords: false, allowSocial: true })

    const begun = await browser.get((await app.begin()).url)
    const submitted = await browser.submit(form, ada)
    const bare = await browser.get('/login')
    for (const page of [begun, submitted, bare]) {
      expect(page.status).toBe(403)
      expect(page.html).toContain('You cannot log in here at the moment.')
      expect(page.html).toContain(`href="${applicationUrl}/"`)
      expect(page.html).toContain('Continue to Shop')
      expect(page.html).not.toContain('type="password"')
    }
  },
)
