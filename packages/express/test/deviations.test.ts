import type { LatchkeyError } from '@latchkey/core'
import { type AuthOptions, requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** Providers that people use deviate from the specifications in these ways. */

interface WatchedSite extends Site {
  /** Every error that was answered. */
  readonly errors: LatchkeyError[]
}

async function start(options: AuthOptions = {}): Promise<WatchedSite> {
  const errors: LatchkeyError[] = []
  const onError = (error: LatchkeyError): undefined => void errors.push(error)
  const site = await startSite(
    (app) => {
      app.get('/refresh', requireUser(), async (req, res, next) => {
        await req.auth.accessToken({ force: true }).then(
          () => res.send('refreshed'),
          (error) => {
            errors.push(error)
            next(error)
          },
        )
      })
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
    },
    { ...options, hooks: { onError, ...options.hooks } },
  )
  return { ...site, errors }
}

async function logIn(site: Site): Promise<Browser> {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  return browser
}

let site: WatchedSite

beforeAll(async () => {
  site = await start()
})
afterEach(() => {
  site.provider.fault = undefined
  site.provider.errorDescription = undefined
  site.errors.length = 0
})
afterAll(() => site.close())

const home = async (site: Site, browser: Browser): Promise<string> =>
  (await browser.open(site.url)).text

test('a client secret that is the word "secret" is taken out of a message once', async () => {
  await using site = await start({ clientSecret: 'secret' })
  site.provider.fault = 'invalid_client'
  site.provider.errorDescription = 'The "secret" is wrong, as in eyJhbGciOiJub25lIn0.e30.'

  await createBrowser().open(`${site.url}/login`)

  expect(site.errors[0]?.message).toContain("(The '[secret]' is wrong, as in [secret]")
  expect(site.errors[0]?.message).not.toContain('[[')
})

test('a refresh token refused with a WWW-Authenticate challenge ends the session', async () => {
  const browser = await logIn(site)
  site.provider.fault = 'invalid_grant with WWW-Authenticate'

  await browser.open(`${site.url}/refresh`)

  expect(site.errors).toMatchObject([{ code: 'LATCHKEY_REFRESH_REJECTED' }])
  expect(await home(site, browser)).toBe('out')
})

test('a code that is refused again after one restart is reported as refused, not as blocked cookies', async () => {
  site.provider.fault = 'invalid_grant'
  site.provider.errorDescription = 'The redirect_uri is not the one that was registered.'

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.trail.filter((url) => url.includes('/callback'))).toHaveLength(2)
  expect(site.errors).toMatchObject([
    { code: 'LATCHKEY_CODE_REFUSED', providerError: 'invalid_grant' },
  ])
  expect(site.errors[0]?.message).toContain('The redirect_uri is not the one that was registered.')
})

test('a login that the provider cannot take now is refused, unless it has expired there', async () => {
  const answer = async (description: string) => {
    const begun = await fetch(`${site.url}/login`, { redirect: 'manual' })
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const cookie = begun.headers.getSetCookie().map((line) => line.split(';')[0])
    const parameters = {
      ...{ state, iss: site.provider.issuer },
      ...{ error: 'temporarily_unavailable', error_description: description },
    }
    return fetch(`${site.url}/callback?${new URLSearchParams(parameters)}`, {
      headers: { cookie: cookie.join('; ') },
      redirect: 'manual',
    })
  }
  const [expired, busy] = [await answer('authentication_expired'), await answer('busy')]
  expect(expired.headers.get('location')).toMatch(site.provider.issuer)
  expect([busy.status, await busy.text()]).toEqual([
    403,
    expect.stringContaining('LATCHKEY_LOGIN_DENIED'),
  ])
})

test('a wrong client secret is a fault of the registration, and the remedy says what to check', async () => {
  await using site = await start({ clientSecret: 'not-the-secret-of-this-client' })

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.response.status).toBe(500)
  expect(site.errors).toMatchObject([
    { code: 'LATCHKEY_CODE_REFUSED', providerError: 'invalid_client' },
  ])
  expect(site.errors[0]?.remedy).toMatch(/check "clientSecret"/i)
  expect(site.errors[0]?.remedy).toContain("clientAuth: 'client_secret_post'")
})

test('a provider that does not decode Basic credentials accepts a secret of letters, digits, "-", "_" and "."', async () => {
  site.provider.fault = 'Basic credentials are not decoded'

  expect(await home(site, await logIn(site))).toBe('in as ada')
})

test('a secret that Basic would encode is sent in the body where the provider takes both', async () => {
  const secret = 'a/secret+with=signs~that are encoded'
  await using site = await start({ clientSecret: secret })
  site.provider.fault = 'Basic credentials are not decoded'
  site.provider.metadata = {
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  }

  expect(await home(site, await logIn(site))).toBe('in as ada')
  const sent = site.provider.requests
    .filter(({ path }) => path === '/token')
    .map(({ body }) => body)
  expect(sent.map((body) => body.get('client_secret'))).toEqual([secret])
})

test('the remedy for a refused client speaks of PKCE only where the provider does not say that it knows it', async () => {
  for (const methods of [undefined, ['plain'], ['plain', 'S256']]) {
    await using site = await start()
    site.provider.metadata = { code_challenge_methods_supported: methods }
    site.provider.fault = 'invalid_client'

    await createBrowser().open(`${site.url}/login`)

    expect(site.errors[0]?.remedy.includes('PKCE')).toBe(!methods?.includes('S256'))
  }
})

test.each([
  ['client_secret_post', 'Check "clientSecret" and "clientId".'],
  ['client_secret_basic', 'Check "clientSecret" and "clientId".'],
] as const)(
  'the remedy for a refused client does not suggest %s where it is set',
  async (clientAuth, remedy) => {
    await using site = await start({ clientAuth })
    site.provider.fault = 'invalid_client'

    await createBrowser().open(`${site.url}/login`)

    expect(site.errors[0]?.remedy).toContain(remedy)
    expect(site.errors[0]?.remedy).not.toContain('clientAuth')
  },
)

test('an error keeps what the provider says of it: on one line, visible, and cut', async () => {
  site.provider.fault = 'invalid_client'
  site.provider.errorDescription = `AADSTS7000215: Invalid\r\nclient\u202e secret. ${'x'.repeat(400)}`

  await createBrowser().open(`${site.url}/login`)

  const message = site.errors[0]?.message ?? ''
  expect(message).toContain('(AADSTS7000215: Invalid client? secret. xxx')
  expect(message.length).toBeLessThan(400)
  expect(message).not.toMatch(/[\r\n\u202e]/)
})

test('a code or token that the provider repeats in its description is not in the message', async () => {
  const { provider } = site
  provider.fault = 'error_description repeats the request'

  await createBrowser().open(`${site.url}/login`)

  const { message = '' } = site.errors[0] ?? {}
  expect(message).toContain('[secret]')
  for (const secret of provider.secrets) expect(message).not.toContain(secret)
})

test.each<[Fault, RegExp]>([
  ['id_token with another nonce', /"nonce" of the ID token is not the one that was sent/],
  ['id_token without nonce', /"nonce" of the ID token is missing/],
  ['id_token with an empty sub', /"sub" of the ID token must be/],
  ['id_token with a sub of 256 characters', /"sub" of the ID token must be/],
  ['id_token expired', /"exp" of the ID token is \d+ s in the past, and at most 30 s are allowed/],
  ['id_token not valid yet', /"nbf" of the ID token is \d+ s in the future/],
  ['id_token issued in the future', /"iat" of the ID token is \d+ s in the future/],
  ['id_token issued before the login', /"iat" of the ID token is \d+ s before the login began/],
  ['id_token with a wrong at_hash', /"at_hash" of the ID token is not the hash/],
  ['id_token for another client', /"aud" of the ID token is "another-client", but .* "app"/],
  ['id_token with alg HS256', /signed with "HS256", and the discovery document .* names RS256/],
  ['id_token signed with an unknown kid', /"kid" "foreign"/],
  [
    'id_token from another issuer',
    /"iss" of the ID token is "https:\/\/other.example", but .* "http:\/\/127.0.0.1:\d+"/,
  ],
  ['iss of another provider', /is from "https:\/\/other.example"; .* "http:\/\/127.0.0.1:\d+"/],
])('%s: the message names the check, and what was found', async (fault, message) => {
  site.provider.fault = fault

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.response.status).toBeGreaterThanOrEqual(400)
  expect(site.errors[0]?.message).toMatch(message)
})

test('a discovery document of another issuer: the message shows both names', async () => {
  await using site = await start()
  site.provider.fault = 'discovery names another issuer'

  await createBrowser().open(`${site.url}/login`)

  expect(site.errors[0]?.message).toMatch(
    /document of "http:\/\/127.0.0.1:\d+\/" names another issuer\. .* set issuer: "https:\/\/other.example"/,
  )
})

test.each(['RS256', 'EdDSA'] as const)(
  'a login works where the provider signs with %s and makes at_hash with SHA-256',
  async (alg) => {
    await using site = await start()
    site.provider.metadata = { id_token_signing_alg_values_supported: [alg] }
    site.provider.rotateKey(alg)
    site.provider.fault = 'at_hash by SHA-256'

    expect(await home(site, await logIn(site))).toBe('in as ada')
  },
)

test('a wrong at_hash is refused where the provider signs with EdDSA, too', async () => {
  await using site = await start()
  site.provider.metadata = { id_token_signing_alg_values_supported: ['EdDSA'] }
  site.provider.rotateKey('EdDSA')
  site.provider.fault = 'id_token with a wrong at_hash'

  await logIn(site)

  expect(site.errors).toMatchObject([{ code: 'LATCHKEY_TOKEN_INVALID' }])
  expect(site.errors[0]?.message).toContain('"at_hash"')
})

test('a provider that does not say when the user logged in: the message says that max_age cannot be met there', async () => {
  site.provider.fault = 'id_token without auth_time'

  const visit = await createBrowser().open(`${site.url}/login?max_age=300`)

  expect(visit.response.status).toBe(403)
  expect(site.errors).toMatchObject([{ code: 'LATCHKEY_STEP_UP_FAILED' }])
  expect(site.errors[0]?.message).toBe(
    '"auth_time" of the ID token is missing, so nothing says whether the user logged in within 300 s, as "max_age" asked. Let the provider send this claim to the application.',
  )
})

test('a refreshed ID token of another issuer is logged as such, not as a provider that did not answer', async () => {
  await using site = await start()
  const browser = await logIn(site)
  site.provider.fault = 'id_token from another issuer'

  await browser.open(`${site.url}/refresh`)

  expect(site.errors).toMatchObject([{ code: 'LATCHKEY_REFRESH_UNAVAILABLE' }])
  const lines = site.log.filter(({ facts }) => String(facts.code).includes('_PROVIDER_'))
  expect(lines).toMatchObject([{ facts: { code: 'LATCHKEY_PROVIDER_INVALID' } }])
  expect(lines[0]?.message).toMatch(
    /not be refreshed.*"iss" of the ID token is "https:\/\/other.example"/,
  )
})

test('a login works where the provider dates its tokens five minutes back', async () => {
  site.provider.fault = 'id_token dated five minutes back'

  expect(await home(site, await logIn(site))).toBe('in as ada')
})

test('discovery follows a redirect on the origin of the issuer', async () => {
  await using site = await start()
  site.provider.fault = 'discovery redirects to a slash'

  expect(await home(site, await logIn(site))).toBe('in as ada')
})

test('claims about the token that signed userinfo carries are not claims of the user', async () => {
  const users: unknown[] = []
  await using site = await start({
    userinfo: 'login',
    hooks: { onSession: ({ user }) => void users.push(user) },
  })
  site.provider.fault = 'userinfo is signed'

  await logIn(site)

  expect(users).toEqual([
    { sub: 'ada', name: 'Ada', email: 'ada@example.com', from_userinfo: true },
  ])
})

test('afterCallback receives the parameters of the response, without its secrets, and the access token', async () => {
  const seen: unknown[] = []
  await using site = await start({
    hooks: {
      afterCallback({ parameters, accessToken }) {
        seen.push(parameters, accessToken.startsWith('access-'))
        return undefined
      },
    },
  })
  site.provider.fault = 'callback has the user once'

  await logIn(site)

  const name = { firstName: 'Ada', lastName: 'Lovelace' }
  expect(seen).toEqual([{ iss: site.provider.issuer, user: JSON.stringify({ name }) }, true])
})

const ENTRA = 'https://login.microsoftonline.com'
const TENANT = '11111111-2222-3333-4444-555555555555'

/** Logs in at Entra ID for every tenant, as a user of one. */
async function logInAtEntra(
  tid: string | undefined,
  entraTenants?: string[],
): Promise<{ text: string; errors: LatchkeyError[] }> {
  const errors: LatchkeyError[] = []
  await using site = await startSite(
    (app) =>
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in at ${req.auth.session?.issuer}` : 'out')
      }),
    {
      ...(entraTenants ? { entraTenants } : {}),
      hooks: { onError: (error) => void errors.push(error) },
    },
    undefined,
    { issuer: `${ENTRA}/organizations/v2.0` },
  )
  site.provider.fault = 'issuer of every Entra tenant'
  site.provider.user = { sub: 'ada', tid }
  const browser = createBrowser({ [ENTRA]: site.provider.url })
  await browser.open(`${site.url}/login`)
  return { text: (await browser.open(site.url)).text, errors }
}

test('Entra ID for several tenants admits users of the tenants that are named', async () => {
  expect((await logInAtEntra(TENANT, [TENANT])).text).toBe(`in at ${ENTRA}/${TENANT}/v2.0`)
})

test.each([
  ['another tenant', '99999999-2222-3333-4444-555555555555'],
  ['no tenant', undefined],
])('Entra ID for several tenants: a user of %s is refused', async (_who, tid) => {
  const { text, errors } = await logInAtEntra(tid, [TENANT])

  expect(text).toBe('out')
  expect(errors).toMatchObject([{ code: 'LATCHKEY_TOKEN_INVALID' }])
  expect(errors[0]?.message).toContain('"tid"')
})

test('Entra ID for several tenants without a list of tenants is refused with the option to set', async () => {
  const { text, errors } = await logInAtEntra(TENANT)

  expect(text).toBe('out')
  expect(errors[0]?.message).toContain('entraTenants')
})
