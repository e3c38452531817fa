import { ConfigError, createAuth } from '@latchkey/core'
import { expect, test } from 'vitest'

const good = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 'x'.repeat(32) },
  logger: false,
}

/** The lines of the report, without its heading. */
function reportOf(options: unknown): string[] {
  try {
    createAuth(options as object)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').slice(1)
    throw error
  }
  return []
}

test.each([
  [{ clientID: 'app' }, '"clientID" is not an option. It is "clientId" here.'],
  [{ issuerBaseURL: 'https://a.test' }, '"issuerBaseURL" is not an option. It is "issuer" here.'],
  [{ baseURL: 'https://a.test' }, '"baseURL" is not an option. It is "baseUrl" here.'],
  [{ secret: 'x' }, '"secret" is not an option. It is "session.secret" here.'],
  [{ issuerBaseURL: undefined }, '"issuerBaseURL" is not an option. It is "issuer" here.'],
  [{ hook: {} }, '"hook" is not an option. Did you mean "hooks"?'],
  [
    { routes: { callbak: '/back' } },
    '"routes.callbak" is not an option. Did you mean "routes.callback"?',
  ],
  [{ authRequired: true }, /^"authRequired" is not an option\. Put app\.use\(requireUser\(\)\)/],
  [{ idpLogout: true }, /^"idpLogout" is not an option\. Leave it out: /],
  [
    { session: { ...good.session, rolling: true } },
    /^"session\.rolling" is not an option\. Sessions roll always/,
  ],
  [
    { session: { ...good.session, cookie: { secure: true } } },
    /^"session\.cookie\.secure" is not an option\. Leave it out/,
  ],
  [
    { session: { ...good.session, cookie: { flavour: 'oat' } } },
    '"session.cookie.flavour" is not an option. There are "name", "sameSite".',
  ],
  [{ quantumSafe: true }, '"quantumSafe" is not an option.'],
])('an unknown option is refused with what it is here: %o', (options, line) => {
  const [found = '', ...others] = reportOf({ ...good, ...options })

  expect(found.slice(4)).toEqual(typeof line === 'string' ? line : expect.stringMatching(line))
  expect(others).toEqual([])
})

test.each([
  [{ scope: [] }, '"scope" must be a string such as "openid profile email", not an empty array.'],
  [
    { userinfo: 'always' },
    '"userinfo" must be "never" or "login" or { everySeconds: 300 }, not "always".',
  ],
  [{ issuer: 5 }, '"issuer" must be a URL, as a string or an object or a function, not 5.'],
  [{ fetch: {} }, '"fetch" must be a function, not an empty object.'],
  [
    { authorizationParams: { max: 1 } },
    '"authorizationParams" must be an object whose values are strings, not this object.',
  ],
  [
    { session: { ...good.session, store: {} } },
    '"session.store" must be a session store, such as createSessionStore() makes, or "cookie", not an empty object.',
  ],
  [{ session: 'x' }, '"session" must be an object, not this string.'],
  [{ hooks: { onError: true } }, '"hooks.onError" must be a function, not true.'],
  [{ timeoutSeconds: '10' }, /^"timeoutSeconds" must be a whole number of seconds, 1 or more/],
  [{ clientId: null }, '"clientId" must be a string, not null.'],
  [{ claims: { type: 'object' } }, /^"claims" must be a schema of a Standard Schema library/],
])('an option of a wrong type is refused, and reported once: %o', (options, line) => {
  const lines = reportOf({ ...good, ...options })

  expect(lines.map((one) => one.slice(4))).toEqual([
    typeof line === 'string' ? line : expect.stringMatching(line),
  ])
})

test('unknown, mistyped and missing options are in one report', () => {
  const lines = reportOf({ issuerBaseURL: 'https://a.test', scope: [], clientId: 'app' })

  expect(lines.map((line) => /"([^"]+)"/.exec(line)?.[1])).toEqual([
    'issuerBaseURL',
    'scope',
    'baseUrl',
    'issuer',
    'clientSecret',
    'session.secret',
  ])
})

test('the message differs for a secret that is not set and one that is too short', () => {
  expect(reportOf({ ...good, session: {} })).toEqual([
    expect.stringContaining('"session.secret" (or LATCHKEY_SESSION_SECRET) is not set.'),
  ])
  expect(reportOf({ ...good, session: { secret: 'short' } })).toEqual([
    expect.stringContaining('is too short: it needs 32 random characters or more.'),
  ])
})

test('two secrets that are too short, and two names for one parameter, are one line each', () => {
  const lines = reportOf({
    ...good,
    session: { secret: ['short', 'short'] },
    authorizationParams: { state: 'x' },
    allowedLoginParams: ['state'],
  })

  expect(lines).toHaveLength(2)
})

test('an option that is undefined is not set, as from an unset variable', () => {
  expect(reportOf({ ...good, scope: undefined, routes: undefined, hooks: undefined })).toEqual([])
})

test('a secret under a wrong name, and one where an object belongs, are not repeated', () => {
  const report = reportOf({ ...good, secret: 'hush-hush', session: 'hush-hush', hooks: 'hush' })

  expect(report).toHaveLength(3)
  expect(report.join()).not.toContain('hush')
})

test.each([['text'], [null], [5], [[]]])(
  'options that are no object are refused: %j',
  (options) => {
    expect(reportOf(options).join()).toContain('"options" must be an object')
  },
)
