import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError, SessionStoreError } from '@latchkey/core'
import { type AuthOptions, createAuthRouter, requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** The secrets of a careless developer; no sentence may repeat one. */
const SECRETS = {
  client: 'Zq4t7w9zDfGhJkMnPrStVwXz2B5E8HbKeNgRuYxAcLd',
  session: 'qH2kW8sXnB5vC9mL3pJ7rT4yU6iO1aDf',
  password: 'hunter2hunter2',
}

const good: AuthOptions = {
  issuer: 'https://login.example.com',
  clientId: 'shop',
  clientSecret: SECRETS.client,
  baseUrl: 'https://shop.example.com',
  session: { secret: SECRETS.session },
  logger: false,
}

/** The report of a start that is refused; empty where it is not. */
function refusal(start: () => unknown): string {
  try {
    start()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

function expectNoSecret(...said: unknown[]): void {
  for (const secret of Object.values(SECRETS)) expect(said.join('\n')).not.toContain(secret)
}

/** Mistakes that are refused at the start: the wrong options, and the parts of the sentence that says so. */
const atStart: [mistake: string, wrong: object, ...said: string[]][] = [
  [
    'a base URL without a scheme',
    { baseUrl: 'localhost:3000' },
    '"baseUrl" (or LATCHKEY_BASE_URL) is "localhost:3000"',
    'Set it to "http://localhost:3000".',
  ],
  [
    'an address of the web without a scheme',
    { issuer: 'login.example.com' },
    '"issuer" (or LATCHKEY_ISSUER) is "login.example.com"',
    'Set it to "https://login.example.com".',
  ],
  [
    'plain http on the web',
    { baseUrl: 'http://shop.example.com' },
    'is "http://shop.example.com"',
    'Set it to "https://shop.example.com".',
  ],
  [
    'a base URL with a password',
    { baseUrl: `https://ada:${SECRETS.password}@shop.example.com` },
    'Set it to "https://shop.example.com".',
  ],
  [
    'the address of the discovery document as the issuer',
    { issuer: 'https://login.example.com/.well-known/openid-configuration' },
    'Set it to the issuer: https://login.example.com',
  ],
  [
    'client id and client secret in each other’s place',
    { clientId: SECRETS.client, clientSecret: 'app_01arz3ndektsv4rrffq69g5fav' },
    '"clientSecret" (or LATCHKEY_CLIENT_SECRET) has the form of a client id',
    'Swap it with "clientId".',
  ],
  [
    'the two of Google in each other’s place',
    { clientId: SECRETS.client, clientSecret: '123-abc.apps.googleusercontent.com' },
    'Swap it with "clientId".',
  ],
  [
    'the client secret in both places',
    { clientId: SECRETS.client, clientSecret: SECRETS.client },
    '"clientId" (or LATCHKEY_CLIENT_ID) is the same as "clientSecret".',
  ],
  [
    'a session secret that is a word',
    { session: { secret: 'keyboard cat' } },
    'it needs 32 random characters or more',
    'openssl rand -base64 32',
  ],
  [
    'the name that express-openid-connect has for the issuer',
    { issuerBaseURL: 'https://login.example.com' },
    '"issuerBaseURL" is not an option. It is "issuer" here.',
  ],
  ['a name of Auth.js', { providers: [] }, '"providers" is not an option.', '"issuer"'],
  ['another name of Auth.js', { trustHost: true }, '"trustHost" is not an option.', '"baseUrl"'],
  ['the folder of Auth.js', { basePath: '/auth' }, '"basePath" is not an option.', '"routes"'],
  ['a name of Passport', { failureRedirect: '/' }, '"failureRedirect"', 'hooks.onError'],
  ['another name of Passport', { successRedirect: '/' }, '"successRedirect"', 'returnTo.default'],
  ['the domain of an Auth0 tenant', { domain: 'a.eu.auth0.com' }, '"domain"', 'It is "issuer"'],
  ['the base URL of Auth0', { appBaseUrl: 'https://a.example' }, '"appBaseUrl"', '"baseUrl" here'],
  ['the secret of a session by its long name', { sessionSecret: 'x' }, '"session.secret" here'],
  ['the redirect URI in camel case', { redirectUri: 'https://a.example' }, '"baseUrl"'],
  [
    'a scheme with a letter missing',
    { issuer: 'htps://login.example.com' },
    'is "htps://login.example.com"',
    'Set it to "https://login.example.com".',
  ],
  ['a query', { baseUrl: 'https://shop.example.com/?x=1' }, 'to "https://shop.example.com".'],
  [
    'one of several addresses without a scheme',
    { baseUrl: ['https://a.example', 'b.example'] },
    'is "b.example"',
    'Set it to "https://b.example".',
  ],
  ['a variable that is empty', { issuer: '' }, 'is empty. Is the environment variable set?'],
  ['a client id that is a number', { clientId: 42 }, '"clientId" must be a string, not 42.'],
  [
    'a space in front of the client id',
    { clientId: ' shop' },
    'a space or a line break. Remove it.',
  ],
  [
    'a line break behind the secret',
    { clientSecret: `${SECRETS.client}\n` },
    '"clientSecret" (or LATCHKEY_CLIENT_SECRET) begins or ends with a space or a line break.',
  ],
  ['the secret as the session', { session: SECRETS.session }, '"session" must be an object'],
  ['no secret', { session: {} }, '"session.secret"', 'Make one with: openssl rand -base64 32'],
  [
    'the address of a Redis as a store',
    { session: { secret: SECRETS.session, store: 'redis://localhost' } },
    'such as createSessionStore() makes',
  ],
  [
    'a promise of a store',
    { session: { secret: SECRETS.session, store: Promise.resolve({}) } },
    'not a promise, which has to be awaited first.',
  ],
  [
    'a map as a store',
    { session: { secret: SECRETS.session, store: new Map() } },
    'such as createSessionStore() makes',
  ],
  ...(
    [
      ['a number in quotes', { idleSeconds: '3600' }, 'a whole number of seconds, 1 or more'],
      ['no time at all', { idleSeconds: 0 }, '1 or more, not 0.'],
      ['the lifetime of express-session', { maxAge: 3600 }, 'It is "session.idleSeconds"'],
      ['the lifetime in the cookie', { cookie: { maxAge: 1 } }, 'It is "session.idleSeconds"'],
      ['SameSite in capitals', { cookie: { sameSite: 'None' } }, '"lax", "strict" or "none"'],
      ['a cookie without Secure', { cookie: { secure: false } }, 'the kit does this by itself'],
      ['the domain of the cookie', { cookie: { domain: 'a.example' } }, 'nothing like it here'],
      ['a space in the name of the cookie', { cookie: { name: 'a b' } }, 'letters, digits'],
      ['rolling', { rolling: true }, 'Sessions roll always'],
      ['resave', { resave: false }, 'the kit decides when sessions are written'],
      ['saveUninitialized', { saveUninitialized: true }, 'the kit decides'],
    ] as const
  ).map(([mistake, wrong, said]): [string, object, string] => [
    mistake,
    { session: { secret: SECRETS.session, ...wrong } },
    said,
  ]),
  ['a route without a slash', { routes: { login: 'login' } }, 'which begins with a slash'],
  [
    'a route as a URL',
    { routes: { callback: 'https://shop.example.com/callback' } },
    'a path such as "/auth/login", which begins with a slash',
  ],
  ['a route of another name', { routes: { signin: '/x' } }, 'There are "login", "callback"'],
  ['two routes at one path', { routes: { login: '/a', logout: '/a' } }, 'the same path'],
  ['a scope without openid', { scope: 'email profile' }, '"scope" must include "openid".'],
  ['an array of scopes', { scope: ['openid'] }, 'such as "openid profile email"'],
  [
    'the implicit flow',
    { authorizationParams: { response_type: 'token' } },
    'must not contain "response_type"',
  ],
  ['a hook of another name', { hooks: { onLogin() {} } }, 'There are "beforeLogin"'],
  ['every origin', { trustedOrigins: '*' }, 'must be "any", or an array of origins'],
  ['a wildcard', { trustedOrigins: ['https://*.example.com'] }, 'origins without "*"'],
  ['a path behind an origin', { trustedOrigins: ['https://a.example/b'] }, 'array of origins'],
  ['a logger that is switched on', { logger: true }, 'a logger with info(), warn() and error()'],
  ['bearer tokens that are switched on', { bearer: true }, '"bearer" must be an object'],
  ['an audience that is empty', { bearer: { audience: '' } }, 'Name the "aud" of access tokens'],
  ['a profile of another name', { profile: 'fapi' }, 'must be "fapi2", not "fapi".'],
  ['a flag in quotes', { dpop: 'true' }, '"dpop" must be true or false'],
  ['telemetry that is switched on', { telemetry: true }, 'the module "@opentelemetry/api"'],
  ['a schema that is none', { claims: {} }, 'a schema of a Standard Schema library'],
  ['the name of a claim as roles', { rolesFrom: 'roles' }, '"rolesFrom" must be a function'],
]

describe('at the start', () => {
  test.each(atStart)(
    '%s is named with the value that would be right',
    (_mistake, wrong, ...said) => {
      const report = refusal(() => createAuthRouter({ ...good, ...wrong }))

      for (const part of said) expect(report).toContain(part)
      expect(report.split('\n')).toHaveLength(2)
      expectNoSecret(report)
    },
  )

  test('five missing variables are one message, which names the file that may have them', () => {
    const report = refusal(() => createAuthRouter({ logger: false }))

    expect(report.match(/LATCHKEY_[A-Z_]+/g)).toEqual([
      'LATCHKEY_BASE_URL',
      'LATCHKEY_ISSUER',
      'LATCHKEY_CLIENT_ID',
      'LATCHKEY_CLIENT_SECRET',
      'LATCHKEY_SESSION_SECRET',
    ])
    expect(report).toContain('node --env-file=.env')
  })

  test('one option that is missing says nothing of files', () => {
    const { clientId: _, ...rest } = good

    expect(refusal(() => createAuthRouter(rest))).not.toContain('--env-file')
  })

  test('a router and a guard without parentheses are one sentence', () => {
    const asked = [{ url: '/' }, {}, () => {}] as never[]

    expect(refusal(() => Reflect.apply(createAuthRouter, undefined, asked))).toBe(
      'Parentheses are missing: write createAuthRouter(), as in app.use(createAuthRouter()).',
    )
    expect(refusal(() => Reflect.apply(requireUser, undefined, asked))).toMatch(
      /^Parentheses are missing: write requireUser\(\)/,
    )
  })
})

/** The log line of a browser's login: its message and its remedy. */
async function loginAt(site: Site): Promise<{ message: string; remedy: string }> {
  const { text } = await createBrowser().open(`${site.url}/login`)
  const { message = '', facts } = site.log.at(-1) ?? {}
  const { remedy = '' } = facts ?? {}
  expectNoSecret(text, message, remedy)
  return { message, remedy: String(remedy) }
}

/** Faults of a login, what the message says of it, and the one remedy of its cause. */
const atLogin: [Fault, found: RegExp, remedy: RegExp][] = [
  [
    'id_token expired',
    /"exp" of the ID token is \d+ s in the past, and at most 30 s are allowed/,
    /^Synchronize the clocks/,
  ],
  [
    'id_token not valid yet',
    /"(iat|nbf)" of the ID token is \d+ s in the future, and at most 30 s are allowed/,
    /^Synchronize the clocks/,
  ],
  [
    'id_token for another client',
    /"aud" of the ID token is ".+", but this client is "app"/,
    /^Set `clientId` to the id/,
  ],
  [
    'id_token from another issuer',
    /"iss" of the ID token is ".+", but the provider's discovery document says "http/,
    /^Ask the provider's operator for one name/,
  ],
  ['id_token with another nonce', /"nonce" of the ID token/, /^Nothing for single logins/],
  [
    'id_token with alg HS256',
    /signed with "HS256".* names RS256/,
    /^Choose another algorithm for this application/,
  ],
  [
    'id_token with a changed payload',
    /signature of the ID token is wrong/,
    /^Nothing for single logins: a token/,
  ],
  [
    'id_token signed with an unknown kid',
    /a key that the provider does not publish \("kid"/,
    /^Nothing for single logins: a token/,
  ],
  ['invalid_client', /refused the code with "invalid_client"/, /^Check "clientSecret" and/],
]

describe('at a login', () => {
  test.each(atLogin)('%s is told with its own remedy alone', async (fault, found, right) => {
    await using site = await startSite()
    site.provider.fault = fault

    const { message, remedy } = await loginAt(site)

    expect(message).toMatch(found)
    expect(remedy).toMatch(right)
    expect(remedy.length).toBeLessThan(260)
  })

  test('the page of development and the log have the same remedy', async () => {
    await using site = await startSite()
    site.provider.fault = 'id_token expired'
    const { text } = await createBrowser().open(`${site.url}/login`)

    expect(text).toContain('What to do: Synchronize the clocks')
    expect(text).not.toContain('attack')
  })

  test('claims that miss the schema are a matter of the schema, and of nothing else', async () => {
    const claims = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: () => ({ issues: [{ path: ['department'] }] }),
      },
    } as const
    await using site = await startSite(undefined, { claims })

    const { message, remedy } = await loginAt(site)

    expect(message).toContain('department')
    expect(remedy).toMatch(/^Correct the schema of the option `claims`/)
  })

  test('a code that is refused is told with the redirect URI to register', async () => {
    await using site = await startSite()
    site.provider.tokenAnswer = { status: 400, body: { error: 'invalid_grant' } } as never

    const { message, remedy } = await loginAt(site)

    expect(message).toContain(`${site.url}/callback`)
    expect(remedy).toMatch(/^Nothing for single logins.+register the redirect URI/)
  })
})

/** A server that speaks plain HTTP, and answers under the host `localhost` as the service in development does. */
async function startByHost() {
  const server = createServer((req, res) => {
    const { port } = server.address() as AddressInfo
    const issuer = `http://localhost:${port}`
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    res.statusCode = req.headers.host === `localhost:${port}` ? 200 : 404
    res.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('at discovery', () => {
  test('an https issuer on a port of plain http is told with the issuer that would work', async () => {
    await using service = await startByHost()
    await using site = await startSite(undefined, { issuer: `https://localhost:${service.port}` })

    const { message, remedy } = await loginAt(site)

    expect(message).toBe(`https://localhost:${service.port}/ is plain HTTP, and not https.`)
    expect(remedy).toBe(`Set \`issuer\` to "http://localhost:${service.port}".`)
  })

  test('127.0.0.1 in place of localhost is told with the issuer that is there', async () => {
    await using service = await startByHost()
    await using site = await startSite(undefined, { issuer: `http://127.0.0.1:${service.port}` })

    const { message, remedy } = await loginAt(site)

    expect(message).toContain(`at http://127.0.0.1:${service.port}/.well-known/`)
    expect(message).toContain('status 404')
    expect(remedy).toBe(`Set \`issuer\` to "http://localhost:${service.port}".`)
  })

  test('another name of this machine is told with the issuer that is there', async () => {
    await using service = await startByHost()
    const issuer = `http://acme.localhost:${service.port}`
    await using site = await startSite(undefined, { issuer })

    const { message, remedy } = await loginAt(site)

    expect(message).toContain(`${issuer}/.well-known/`)
    expect(remedy).toBe(`Set \`issuer\` to "http://localhost:${service.port}".`)
  })
})

describe('at an API', () => {
  async function ask(site: Site, path: string, authorization: string) {
    const response = await fetch(site.url + path, { headers: { authorization } })
    return { response, body: (await response.json()) as Record<string, string> }
  }
  const start = (options: AuthOptions = {}) =>
    startSite((app) => {
      app.get('/orders', requireUser(), (_req, res) => res.send('in'))
      app.get('/token', requireUser({ accept: ['bearer'] }), (_req, res) => res.send('in'))
    }, options)

  test('a token that its sender did not wait for is told as such', async () => {
    await using site = await start({ bearer: { audience: 'https://api.example.com' } })

    const { response } = await ask(site, '/token', `Bearer ${Promise.resolve('token')}`)

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('[object Promise]')
    expect(site.log).toMatchObject([
      {
        message: expect.stringContaining('"Bearer [object Promise]"'),
        facts: { remedy: expect.stringContaining('await req.auth.accessToken()') },
      },
    ])
  })

  test('a bearer token at a guard for sessions is told why it does not count', async () => {
    await using site = await start()

    const { response, body } = await ask(site, '/orders', `Bearer ${SECRETS.client}`)

    expect(response.status).toBe(401)
    expect(body.detail).toMatch(/bearer token.+does not accept/)
    expect(site.log).toMatchObject([
      {
        message: expect.stringMatching(/bearer token.+accepts sessions alone/),
        facts: { remedy: expect.stringContaining(`accept: ['bearer']`) },
      },
    ])
    expectNoSecret(JSON.stringify(body), JSON.stringify(site.log))
  })

  test('a visitor without a token reads nothing of tokens', async () => {
    await using site = await start()

    const response = await fetch(`${site.url}/orders`)

    expect(await response.json()).not.toHaveProperty('detail')
    expect(site.log).toEqual([])
  })
})

test('a store of the application that fails is told to be looked at, with its own error', () => {
  const error = new SessionStoreError(new Error('no table "sessions"'))

  expect(error.remedy).toMatch(/^Look at the underlying error/)
})
