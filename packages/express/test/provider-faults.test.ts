import { requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
      app.get('/private', requireUser({ respond: 'redirect' }), (_req, res) => {
        res.send('private')
      })
    },
    { userinfo: 'login', timeoutSeconds: 3 },
  )
})
afterEach(() => {
  site.provider.fault = undefined
})
afterAll(() => site.close())

/** Faults after which nobody is logged in, and the code that the page shows. */
const refusals: [Fault, string][] = [
  ['iss of another provider', 'LATCHKEY_ISSUER_MISMATCH'],
  ['iss missing', 'LATCHKEY_ISSUER_MISMATCH'],
  ['state repeated', 'LATCHKEY_REQUEST_INVALID'],
  ['code repeated', 'LATCHKEY_REQUEST_INVALID'],
  ['code missing', 'LATCHKEY_TOKEN_INVALID'],
  ['access_denied', 'LATCHKEY_LOGIN_DENIED'],
  ['login_required', 'LATCHKEY_LOGIN_DENIED'],
  ['error with markup', 'LATCHKEY_LOGIN_DENIED'],
  ['invalid_client', 'LATCHKEY_CODE_REFUSED'],
  ['token response without id_token', 'LATCHKEY_TOKEN_INVALID'],
  ['token response without access_token', 'LATCHKEY_TOKEN_INVALID'],
  ['token response without token_type', 'LATCHKEY_TOKEN_INVALID'],
  ['token response with malformed expires_in', 'LATCHKEY_TOKEN_INVALID'],
  ['token response is an array', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token signed with a foreign key under a known kid', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token signed with an unknown kid', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with a changed payload', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without a signature', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with alg none', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with alg HS256', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token is not a JWT', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token from another issuer', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without iss', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token for another client', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without aud', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token for several clients without azp', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with the azp of another client', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token expired', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without exp', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without iat', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token not valid yet', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with another nonce', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without nonce', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token without sub', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with an empty sub', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with a sub of 256 characters', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with a sub that is not ASCII', 'LATCHKEY_TOKEN_INVALID'],
  ['id_token with a critical header', 'LATCHKEY_TOKEN_INVALID'],
  ['userinfo of another user', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo without sub', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo refused', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo: html', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo: empty', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo: redirecting', 'LATCHKEY_USERINFO_INVALID'],
  ['userinfo: down', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['userinfo: hanging', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['userinfo: dripping', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['userinfo: huge', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['userinfo: server error', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['userinfo: truncated', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token response in broken HTTP', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: html', 'LATCHKEY_TOKEN_INVALID'],
  ['token: empty', 'LATCHKEY_TOKEN_INVALID'],
  ['token: redirecting', 'LATCHKEY_TOKEN_INVALID'],
  ['token: down', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: hanging', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: dripping', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: huge', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: server error', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ['token: truncated', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
]

test.each(refusals)('%s: no user is logged in, and the page says %s', async (fault, code) => {
  const browser = createBrowser()
  site.provider.fault = fault

  const visit = await browser.open(`${site.url}/login`)

  expect(visit.text).toContain(code)
  expect(visit.response.status).toBeGreaterThanOrEqual(400)
  expect(visit.response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(visit.text).not.toMatch(/<script|<img|client-secret|access-|refresh-|eyJ[\w-]*\./)
  site.provider.fault = undefined
  expect((await browser.open(site.url)).text).toBe('out')
})

test.each<Fault>(['state of another login', 'state missing'])(
  '%s: a page says so at once, and the next login succeeds',
  async (fault) => {
    const browser = createBrowser()
    site.provider.fault = fault

    const visit = await browser.open(`${site.url}/login`)

    expect(visit.text).toContain('LATCHKEY_STATE_MISMATCH')
    expect(visit.trail.filter((url) => url.includes('/callback'))).toHaveLength(1)
    site.provider.fault = undefined
    expect((await browser.open(`${site.url}/login`)).text).toBe('in as ada')
  },
)

test.each<Fault>(['invalid_grant', 'unknown code'])(
  '%s: one more try, then a page that says the code was refused',
  async (fault) => {
    const browser = createBrowser()
    site.provider.fault = fault

    const visit = await browser.open(`${site.url}/login`)

    expect(visit.text).toContain('LATCHKEY_CODE_REFUSED')
    expect(visit.trail.filter((url) => url.includes('/callback'))).toHaveLength(2)
  },
)

test('an ID Token with an old auth_time does not satisfy a login that asked for a recent one', async () => {
  const browser = createBrowser()
  site.provider.fault = 'id_token with an old auth_time'

  const visit = await browser.open(`${site.url}/login?max_age=300`)

  expect(visit.text).toContain('LATCHKEY_STEP_UP_FAILED')
  expect((await browser.open(site.url)).text).toBe('out')
})

test('an ID Token without auth_time does not satisfy a login that asked for a recent one', async () => {
  const browser = createBrowser()
  site.provider.fault = 'id_token without auth_time'

  const visit = await browser.open(`${site.url}/login?max_age=300`)

  expect(visit.text).toContain('LATCHKEY_STEP_UP_FAILED')
  expect((await browser.open(site.url)).text).toBe('out')
})

test.each<Fault>(['token: huge', 'userinfo: huge'])(
  '%s: reading stops at a megabyte',
  async (fault) => {
    const messages: string[] = []
    await using other = await startSite(() => {}, {
      userinfo: 'login',
      hooks: {
        onError: (error) => {
          messages.push(error.message)
          return undefined
        },
      },
    })
    other.provider.fault = fault

    await createBrowser().open(`${other.url}/login`)

    expect(messages).toEqual([expect.stringContaining('sent more than 1048576 bytes')])
  },
)
