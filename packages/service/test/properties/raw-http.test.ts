import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { createLoopbackFetch } from '../issuer/support/loopback.ts'
import { type StoreName, stores } from '../support/api.ts'

/** `LATCHKEY_FUZZ_SEED` repeats a run. */
const seed = Number(process.env.LATCHKEY_FUZZ_SEED ?? Date.now() % 2 ** 31)
const limits = { seed, numRuns: 1e6, interruptAfterTimeLimit: 2_500, timeout: 10_000 }

process.stderr.write(`Fuzzing over raw HTTP: LATCHKEY_FUZZ_SEED=${seed}\n`)

/** A service on a socket, with a tenant to log in at and another one that may be changed. */
async function serve(store: StoreName) {
  const data = store === 'SQLite' ? mkdtempSync(join(tmpdir(), 'latchkey-fuzz-')) : undefined
  const failures: string[] = []
  const service = await createIdentityService({
    data,
    allowHttpOnLoopback: true,
    requestsPerSecond: 1e6,
    trustedProxies: ['127.0.0.1'],
    closeSeconds: 1,
    logger: pino({ level: 'error' }, { write: (line: string) => void failures.push(line) }),
  })
  const { port } = await service.listen()
  const host = `acme.localhost:${port}`
  const redirectUri = 'https://shop.example.com/callback'
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: host },
        applications: [{ name: 'Shop', redirect_urls: [redirectUri] }],
      },
    ],
  })
  const site = await service.admin.findTenant(host)
  const { secret: siteKey } = await service.admin.createApiKey({ name: 'site', reach: 'all' })
  const headers = { authorization: `Bearer ${siteKey}` }
  const path = `http://${host}/v1/tenants/${site?.id}/applications`
  const listed = await service.fetch(path, { headers })
  const [application] = ((await listed.json()) as { data: { id: string; secret: string }[] }).data
  const tenant = await service.admin.createTenant({ domain: 'other.example.com' })
  const { secret: key } = await service.admin.createApiKey({ name: 'fuzz', reach: [tenant.id] })
  const { id = '', secret = '' } = application ?? {}
  const login = `/oidc/auth?${new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`
  const browser = createBrowser({ url: `http://${host}`, fetch: createLoopbackFetch() })
  const page = await browser.get(login)
  const cookie = browser
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
  const flow = new URL(page.url).pathname
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

  return {
    port,
    host,
    failures,
    key,
    cookie,
    csrf,
    flow,
    basic,
    login,
    tenant: `/v1/tenants/${tenant.id}`,
    async [Symbol.asyncDispose]() {
      await service.close()
      if (data) rmSync(data, { recursive: true })
    },
  }
}

type Served = Awaited<ReturnType<typeof serve>>

/**
 * Sends bytes on a connection of their own; resolves with the status of every answer.
 *
 * @param patienceMs - How long to wait for an answer: bytes that are no whole request get none.
 */
async function send(port: number, bytes: Uint8Array, patienceMs = 50): Promise<number[]> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.write(bytes)
  const timer = setTimeout(() => socket.destroy(), patienceMs)
  await once(socket, 'close')
  clearTimeout(timer)
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
}

function expectNoFailure({ failures }: Served, statuses: number[]): void {
  expect(failures).toEqual([])
  for (const status of statuses) expect(status).toBeLessThan(500)
}

const address = fc.ipV4()

/** A request in parts. */
interface Parts {
  line: string
  headers: Record<string, string>
  body: Buffer
}

function request(
  method: string,
  target: string,
  headers: Record<string, string>,
  body = '',
): Parts {
  return { line: `${method} ${target} HTTP/1.1`, headers, body: Buffer.from(body) }
}

function bytesOf({ line, headers, body }: Parts): Buffer {
  const all: Record<string, string | number> = { ...headers, connection: 'close' }
  if (body.length > 0) all['content-length'] = body.length
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line}\r\n${lines.join('')}\r\n`), body])
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Requests that are right, to begin from. */
function rightRequests(served: Served): Parts[] {
  const { host, key, cookie, csrf, flow, basic, login, tenant } = served
  const api = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const user = JSON.stringify({ profile: { email: 'ada@example.com', name: 'Ada' }, metadata: {} })
  const shop = JSON.stringify({ name: 'Shop', redirect_urls: ['https://shop.example.com/'] })
  return [
    request('GET', `${tenant}/users?limit=10&after=usr_01m80b0p4qe00agj74j0sjh5f0`, api),
    request('POST', `${tenant}/users`, api, user),
    request('POST', `/x${tenant}/users/import`, api, JSON.stringify({ users: [JSON.parse(user)] })),
    request('POST', `${tenant}/applications`, api, shop),
    request('GET', '/v1/tenants', api),
    request('GET', login, { host, cookie, accept: 'text/html' }),
    request('GET', '/.well-known/openid-configuration', { host }),
    request('GET', flow, { host, cookie, accept: 'text/html', 'accept-language': 'de;q=0.5' }),
    request('POST', `${flow}/reset`, { host, cookie, ...form }, `csrf=${csrf}&email=a%40b.example`),
    request('POST', '/oidc/auth', { host, cookie, ...form }, login.split('?')[1]),
    request(
      'POST',
      '/oidc/token',
      { host, authorization: basic, ...form },
      'grant_type=authorization_code&code=x&redirect_uri=https%3A%2F%2Fshop.example.com%2Fcallback',
    ),
    request('POST', '/oidc/revoke', { host, authorization: basic, ...form }, 'token=x'),
    request('GET', '/oidc/userinfo', { host, authorization: 'Bearer x' }),
    request('GET', '/oidc/logout?id_token_hint=eyJhbGciOiJub25lIn0.e30.&state=x', { host, cookie }),
    request('GET', '/verify?token=x&application=app_1&ui_locales=de', { host, cookie }),
  ]
}

/** One place where bytes are changed; `at` is a share of their length. */
const change = fc.record({
  at: fc.integer({ min: 0, max: 9_999 }).map((share) => share / 10_000),
  remove: fc.nat({ max: 12 }),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom(
        '\r\n',
        '\0',
        '%',
        '%00',
        '%ff',
        '&',
        '=',
        '"',
        '{',
        '[',
        '/',
        '..',
        '?',
        'null',
      )
      .map((text) => Buffer.from(text)),
    fc
      .constantFrom('\r\nHost: x', '\r\nTransfer-Encoding: chunked', '\r\nContent-Length: 5')
      .map((text) => Buffer.from(text)),
  ),
})

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(bytes: Buffer, changes: readonly Change[]): Buffer {
  return changes.reduce((before, { at, remove, insert }) => {
    const start = Math.floor(at * before.length)
    return Buffer.concat([before.subarray(0, start), insert, before.subarray(start + remove)])
  }, bytes)
}

const places = ['line', 'body', 'anywhere'] as const

/** The bytes of a request that is changed in one part, with the length that its body then has. */
function spoiled(parts: Parts, place: (typeof places)[number], changes: readonly Change[]): Buffer {
  if (place === 'anywhere') return changed(bytesOf(parts), changes)
  if (place === 'body') return bytesOf({ ...parts, body: changed(parts.body, changes) })
  const line = changed(Buffer.from(parts.line), changes).toString('latin1')
  // What follows a space is another part of the line.
  const [method, ...rest] = line.split(' ')
  return bytesOf({ ...parts, line: `${method} ${rest.slice(0, -1).join('%20')} HTTP/1.1` })
}

const wild = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.json({ maxDepth: 2 }),
  fc.webUrl(),
  fc.constantFrom('', '0', '-1', '1e9', 'null', '__proto__', 'constructor', '\0', '😀', '\ud800'),
  fc.nat({ max: 3_000 }).map((length) => 'x'.repeat(length)),
)

const names = fc.oneof(
  fc.constantFrom(
    ...'client_id response_type redirect_uri scope state nonce prompt max_age ui_locales login_hint'.split(
      ' ',
    ),
    ...'id_token_hint acr_values claims request request_uri response_mode code_challenge'.split(
      ' ',
    ),
    ...'code_challenge_method grant_type code refresh_token token token_type_hint csrf email'.split(
      ' ',
    ),
    ...'client_assertion client_assertion_type client_secret xsrf logout step name done start'.split(
      ' ',
    ),
    ...'post_logout_redirect_uri application screen_hint limit after resource registration'.split(
      ' ',
    ),
  ),
  fc.string({ maxLength: 10 }),
)

const parameters = fc
  .array(fc.tuple(names, wild), { maxLength: 6 })
  .map((pairs) => new URLSearchParams(pairs).toString())

describe.each(stores)('on %s, over raw HTTP', (store) => {
  test('no change to the bytes of a request makes the API or the issuer fail', async () => {
    await using served = await serve(store)
    const right = rightRequests(served)
    for (const parts of right) {
      const statuses = await send(served.port, bytesOf(parts), 10_000)
      expect(statuses, parts.line).toHaveLength(1)
      expectNoFailure(served, statuses)
    }
    const mutations = fc.array(change, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...right),
        fc.constantFrom(...places),
        mutations,
        async (parts, place, changes) => {
          expectNoFailure(served, await send(served.port, spoiled(parts, place, changes)))
        },
      ),
      limits,
    )
  })

  test('no parameters, in the query or in a form, make a page or an endpoint fail', async () => {
    await using served = await serve(store)
    const { host, cookie, csrf, flow, basic, login, port } = served
    const paths = [
      ...'/oidc/auth /oidc/token /oidc/userinfo /oidc/jwks /oidc/logout /oidc/revoke /login'.split(
        ' ',
      ),
      ...'/oidc/logout/confirm /oidc/logout/success /oidc/auth/x /signup /verify /reset /x/outbox'.split(
        ' ',
      ),
      ...[flow, `${flow}/signup`, `${flow}/reset`, `${flow}/sent`, `${flow}/other`, '/x/ready'],
    ]
    const right = login.split('?')[1] ?? ''
    const begun = fc.constantFrom('', right, `csrf=${csrf}`)
    const credentials = fc.constantFrom(undefined, basic, 'Bearer x', 'Basic !', 'Basic Og==')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'POST', 'HEAD', 'OPTIONS'),
        fc.constantFrom(...paths),
        begun,
        parameters,
        fc.boolean(),
        credentials,
        address,
        async (method, path, before, more, isForm, authorization, from) => {
          const given = `${before}&${more}`
          const headers = {
            host,
            cookie,
            accept: 'text/html',
            'x-forwarded-for': from,
            ...(authorization && { authorization }),
            ...(isForm && form),
          }
          const target = isForm ? path : `${path}?${given}`
          const parts = request(method, target, headers, isForm ? given : '')
          expectNoFailure(served, await send(port, bytesOf(parts)))
        },
      ),
      limits,
    )
  })
})
