import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { type AuthOptions, ConfigError, createAuth, createMemoryStore } from '@latchkey/core'
import * as telemetry from '@opentelemetry/api'
import { expect, test } from 'vitest'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
const x25519 = generateKeyPairSync('x25519').privateKey

const good: AuthOptions = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 'x'.repeat(32) },
  logger: false,
}

const registration = { issuer: 'https://login.example.com', clientId: 'app' }

function faultsOf(options: AuthOptions, environment = {}): ConfigError['faults'] {
  try {
    createAuth(options, { environment })
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('all missing options are reported at once, each with the variable that can provide it', () => {
  const faults = faultsOf({})

  expect(faults.map(({ option, variable }) => [option, variable])).toEqual([
    ['baseUrl', 'LATCHKEY_BASE_URL'],
    ['issuer', 'LATCHKEY_ISSUER'],
    ['clientId', 'LATCHKEY_CLIENT_ID'],
    ['clientSecret', 'LATCHKEY_CLIENT_SECRET'],
    ['session.secret', 'LATCHKEY_SESSION_SECRET'],
  ])
})

test('the message names every option, every variable and what to do', () => {
  expect(() => createAuth({})).toThrow(
    /"baseUrl" \(or LATCHKEY_BASE_URL\) is not set\. Pass it, or set the environment variable\.[\s\S]*"session.secret"/,
  )
})

test('what is not the module of OpenTelemetry is refused as `telemetry`', () => {
  const { context, metrics, trace } = telemetry
  for (const wrong of [true, {}, { trace }, trace, { context, trace, metrics: {} }]) {
    expect(faultsOf({ ...good, telemetry: wrong as never })).toEqual([
      {
        option: 'telemetry',
        remedy: expect.stringContaining('must be the module "@opentelemetry/api", not '),
      },
    ])
  }
  expect(faultsOf({ ...good, telemetry })).toEqual([])
  expect(faultsOf({ ...good, telemetry: { context, metrics, trace } })).toEqual([])
})

test('the environment provides what the options leave out, and the options win', () => {
  const environment = {
    LATCHKEY_ISSUER: 'https://login.example.com',
    LATCHKEY_CLIENT_ID: 'from-environment',
    LATCHKEY_CLIENT_SECRET: 'secret',
    LATCHKEY_BASE_URL: 'https://app.example.com',
    LATCHKEY_SESSION_SECRET: 'x'.repeat(32),
  }

  const named = createAuth({ logger: false }, { environment })
  const other = createAuth({ baseUrl: 'https://other.example.com', logger: false }, { environment })

  expect(named.baseUrl.href).toBe('https://app.example.com/')
  expect(other.baseUrl.href).toBe('https://other.example.com/')
})

test('an option given as undefined, as from an unset variable, counts as missing', () => {
  expect(faultsOf({ ...good, clientSecret: undefined })).toMatchObject([{ option: 'clientSecret' }])
})

test.each<[string, Partial<AuthOptions>, string]>([
  ['an issuer over plain http', { issuer: 'http://login.example.com' }, 'issuer'],
  ['an issuer that is no URL', { issuer: 'login.example.com' }, 'issuer'],
  ['an issuer with a query', { issuer: 'https://login.example.com/?a=1' }, 'issuer'],
  ['a baseUrl with credentials', { baseUrl: 'https://me:pw@app.example.com' }, 'baseUrl'],
  ['a trusted origin with a path', { trustedOrigins: ['https://a.example/'] }, 'trustedOrigins'],
  ['a trusted origin that is a host', { trustedOrigins: ['a.example'] }, 'trustedOrigins'],
  ['a trusted origin without a name', { trustedOrigins: ['null'] }, 'trustedOrigins'],
  ['a wildcard', { trustedOrigins: '*' as 'any' }, 'trustedOrigins'],
  ['a short session secret', { session: { secret: 'short' } }, 'session.secret'],
  ['a short old secret', { session: { secret: ['x'.repeat(32), 'short'] } }, 'session.secret'],
  ['no session secret in a list', { session: { secret: [] } }, 'session.secret'],
  ['two routes on one path', { routes: { login: '/auth', logout: '/auth' } }, 'routes.logout'],
  ['a route that is no path', { routes: { login: 'login' } }, 'routes.login'],
  ['a scope without openid', { scope: 'profile' }, 'scope'],
  ['a parameter the kit decides', { authorizationParams: { state: 'x' } }, 'authorizationParams'],
  [
    'a parameter of visitors the kit decides',
    { allowedLoginParams: ['nonce'] },
    'allowedLoginParams',
  ],
  [
    'form_post over http',
    { baseUrl: 'http://localhost', responseMode: 'form_post' },
    'responseMode',
  ],
  ['private_key_jwt without a key', { clientAuth: 'private_key_jwt' }, 'clientKey'],
  ['a key that is none', { clientAuth: 'private_key_jwt', clientKey: 'x' }, 'clientKey'],
  ['no key at all', { clientAuth: 'private_key_jwt', clientKey: null as never }, 'clientKey'],
  ['a public key', { clientAuth: 'private_key_jwt', clientKey: rsa.publicKey }, 'clientKey'],
  ['a key of another curve', { clientAuth: 'private_key_jwt', clientKey: p384 }, 'clientKey'],
  ['a key that cannot sign', { clientAuth: 'private_key_jwt', clientKey: x25519 }, 'clientKey'],
  ['no callback', { routes: { callback: false as never } }, 'routes.callback'],
  ['an unknown way to authenticate', { clientAuth: 'mtls' as 'none' }, 'clientAuth'],
  [
    'a session of no length',
    { session: { ...good.session, idleSeconds: 0 } },
    'session.idleSeconds',
  ],
])('%s is refused', (_name, wrong, option) => {
  expect(faultsOf({ ...good, ...wrong })).toMatchObject([{ option }])
})

test('plain http is for loopback hosts', () => {
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:8080', 'acme.localhost:4400']) {
    expect(faultsOf({ ...good, issuer: `http://${host}`, baseUrl: `http://${host}` })).toEqual([])
  }
})

test('a client without a secret says so with clientAuth none', () => {
  const { clientSecret: _, ...rest } = good

  expect(faultsOf({ ...rest, clientAuth: 'none' })).toEqual([])
})

test('no value of a secret appears in the report', () => {
  const clientKey = '-----BEGIN PRIVATE KEY-----\nhalf-of-a-private-key\n-----END PRIVATE KEY-----'
  const wrong: AuthOptions = {
    issuer: 'https://someone:issuer-password@login.example.com',
    clientId: '',
    clientSecret: 'the-client-secret',
    clientAuth: 'private_key_jwt',
    clientKey,
    baseUrl: 'https://me:base-url-password@app.example.com',
    session: { secret: 'too-short-secret' },
  }
  let report = ''
  try {
    createAuth(wrong)
  } catch (error) {
    report = inspect(error, { depth: 9 })
  }

  expect(report).toContain('clientKey')
  for (const secret of ['password', 'the-client-secret', 'half-of', 'too-short-secret']) {
    expect(report).not.toContain(secret)
  }
})

test('nothing is fetched while an instance is made', () => {
  const fetched: string[] = []
  createAuth({
    ...good,
    fetch: async (url) => {
      fetched.push(String(url))
      return new Response()
    },
  })

  expect(fetched).toEqual([])
})

/** The codes of the warnings that a logger in the shape of pino receives at the start. */
function warningsOf(options: AuthOptions): string[] {
  const codes: string[] = []
  const warn = ({ code }: { code: string }): void => void codes.push(code)
  createAuth({ ...options, logger: { info() {}, warn, error() {} } })
  return codes
}

test('a session store without an index causes one warning at start', () => {
  const store = { ...createMemoryStore(), index: undefined } as never

  expect(warningsOf({ ...good, session: { ...good.session, store } })).toEqual([
    'LATCHKEY_STORE_WITHOUT_INDEX',
  ])
})

test('sessions in memory cause one warning in production', () => {
  expect(warningsOf(good)).toEqual(['LATCHKEY_SESSIONS_IN_MEMORY'])
})

test('plain http is accepted on the hosts that insecureHttpHosts names, and never in production', () => {
  const options = {
    ...good,
    issuer: 'http://keycloak:8080',
    baseUrl: 'http://myapp.local',
    insecureHttpHosts: ['keycloak', 'myapp.local'],
  }

  expect(faultsOf(options)).toEqual([])
  expect(faultsOf({ ...options, insecureHttpHosts: ['keycloak'] })).toMatchObject([
    { option: 'baseUrl' },
  ])
  expect(faultsOf(options, { NODE_ENV: 'production' })).toMatchObject([
    { option: 'insecureHttpHosts' },
  ])
})

test.each<[string, Partial<AuthOptions>]>([
  ['metadata', { metadata: { issuer: 'https://other.example' } }],
  ['metadata', { issuer: () => registration, metadata: { issuer: 'https://other.example' } }],
  ['discoveryUrl', { issuer: () => registration, discoveryUrl: 'https://other.example' }],
  ['discoveryUrl', { discoveryUrl: 'http://other.example/.well-known/openid-configuration' }],
  ['discoveryUrl', { discoveryUrl: 'https://ada@other.example/.well-known/openid-configuration' }],
  ['discoveryUrl', { discoveryUrl: '' }],
  ['tokenParams', { tokenParams: { code: 'x' } }],
  [
    'clientAssertion.algorithm',
    { clientAuth: 'private_key_jwt', clientKey: p256, clientAssertion: { algorithm: 'PS256' } },
  ],
])('%s that would undo a check or cannot work is refused', (option, options) => {
  expect(faultsOf({ ...good, ...options })).toMatchObject([{ option }])
})

test.each<[Partial<AuthOptions>, RegExp | undefined]>([
  [{ baseUrl: ['https://app.example.com', 'https://app.example.org'] }, undefined],
  [{ baseUrl: ['https://app.example.com', 'http://localhost:3000'] }, /same scheme and path/],
  [
    { baseUrl: ['https://app.example.com', 'https://app.example.org/shop'] },
    /same scheme and path/,
  ],
  [{ baseUrl: ['https://app.example.com', 'https://APP.example.com:443'] }, /twice/],
  [{ baseUrl: ['https://app.example.com', 'https://*.example.com'] }, /must not be a pattern/],
  [{ baseUrl: ['https://app.example.com', ''] }, /an array of URLs that are all set/],
  [{ baseUrl: [] }, /an array of URLs that are all set/],
])('several base URLs have one scheme, one path and no pattern: %o', (options, remedy) => {
  expect(faultsOf({ ...good, ...options })).toMatchObject(
    remedy ? [{ option: 'baseUrl', remedy: expect.stringMatching(remedy) }] : [],
  )
})

test('session.adopt is refused where the store would forget which old sessions were adopted', () => {
  const adopt = { cookie: 'old', read: () => undefined }
  const { once: _once, ...withoutOnce } = createMemoryStore()
  const local = { ...good, baseUrl: 'http://localhost:3000' }
  const faults = (options: AuthOptions, store: NonNullable<AuthOptions['session']>['store']) =>
    faultsOf({ ...options, session: { secret: 'x'.repeat(32), adopt, store } }).map(
      ({ option, remedy }) => `${option} ${remedy}`,
    )
  const { isInProcess: _isInProcess, ...lasting } = createMemoryStore()

  expect(faults(local, 'cookie')).toEqual([
    expect.stringMatching(
      /^session\.adopt needs a store that remembers .* in cookies .*createSessionStore/,
    ),
  ])
  expect(faults(local, withoutOnce)).toEqual([expect.stringContaining('no replay cache ("once")')])
  expect(faults(good, undefined)).toEqual([expect.stringContaining('sessions in memory')])
  expect(faults(good, createMemoryStore())).toEqual([expect.stringContaining('sessions in memory')])
  expect(faults(local, createMemoryStore())).toEqual([])
  expect(faults(good, lasting)).toEqual([])
})

test('a wildcard in trustedOrigins, which would never match, is refused', () => {
  for (const origin of ['https://*.a.test', 'https://a.*', '*']) {
    const [fault] = faultsOf({ ...good, trustedOrigins: [origin] })
    expect(fault?.option).toBe('trustedOrigins')
    expect(fault?.remedy).toContain('without "*"')
  }
})

test('a base URL of several addresses with commas is refused, and the message says how to name several', () => {
  const environment = { LATCHKEY_BASE_URL: 'https://a.test,https://b.test' }
  const { baseUrl: _, ...rest } = good
  const [fault] = faultsOf(rest, environment)
  expect(fault).toMatchObject({ option: 'baseUrl', variable: 'LATCHKEY_BASE_URL' })
  expect(fault?.remedy).toContain('pass them as an array')
})

test('the address of a discovery document as issuer is refused, and the message names the issuer', () => {
  const environment = {
    LATCHKEY_ISSUER: 'https://login.example.com/realms/a/.well-known/openid-configuration',
  }
  const [fault] = faultsOf({ ...good, issuer: undefined }, environment)
  expect(fault).toMatchObject({ option: 'issuer', variable: 'LATCHKEY_ISSUER' })
  expect(fault?.remedy).toContain('Set it to the issuer: https://login.example.com/realms/a')
})
