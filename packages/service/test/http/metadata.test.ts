import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { exceptionsOf } from '../../src/domain/applications/application-exceptions.ts'
import type { Application } from '../../src/store/records.ts'
import { anAudit } from '../store/records.ts'
import { type Api, startApi, stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'
import { expectError } from '../support/errors.ts'

const bcrypt = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

/** Each updatable object: writes it with `metadata`. */
const kinds: [name: string, write: (api: Api, metadata: unknown) => ReturnType<Api['post']>][] = [
  [
    'tenant',
    (api, metadata) => api.post(api.tenant, { settings: { domain: 'acme.example' }, metadata }),
  ],
  ['application', (api, metadata) => api.post(api.applications, { metadata })],
  [
    'user',
    (api, metadata) => api.post(api.users, { profile: { email: 'a@example.com' }, metadata }),
  ],
  [
    'credential',
    async (api, metadata) => {
      const { id } = await api.createUser()
      const password = { alg: 'bcrypt', hash: bcrypt }
      return api.post(`${api.users}/${id}/credentials`, { password, metadata })
    },
  ],
]

/** A set of one key, as text. */
function jwks({ isPrivate = false, namedCurve = 'P-256' } = {}): string {
  const pair = generateKeyPairSync('ec', { namedCurve })
  const key = isPrivate ? pair.privateKey : pair.publicKey
  return JSON.stringify({ keys: [key.export({ format: 'jwk' })] })
}

function fapi(latchkey_jwks = jwks()): Record<string, string> {
  return { latchkey_profile: 'fapi2', latchkey_jwks }
}

function keys(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, String(i)]))
}

describe.each(kinds)('the metadata of a %s', (_, write) => {
  test.each([
    ['20 keys', keys(20)],
    ['a key of 100 characters', { ['x'.repeat(100)]: 'a' }],
    ['a key of 100 characters beyond the basic plane', { ['😀'.repeat(100)]: 'a' }],
    ['a value of 1000 characters', { a: 'x'.repeat(1_000) }],
    ['a value of 1000 characters beyond the basic plane', { a: '😀'.repeat(1_000) }],
    ['an empty key and an empty value', { '': '' }],
    ['line breaks, quotes and backslashes', { 'a"b\\c': '\r\n\t"\\' }],
  ])('may have %s', async (_, metadata) => {
    await using api = await startApi()

    const { status, body } = await write(api, metadata)

    expect(status).toBe(200)
    expect(body.metadata).toEqual(metadata)
  })

  test.each([
    ['21 keys', keys(21)],
    ['a key of 101 characters', { ['x'.repeat(101)]: 'a' }],
    ['a key of 101 characters beyond the basic plane', { ['😀'.repeat(101)]: 'a' }],
    ['a value of 1001 characters', { a: 'x'.repeat(1_001) }],
    ['a value of 1001 characters beyond the basic plane', { a: '😀'.repeat(1_001) }],
    ['a value that is a number', { a: 1 }],
    ['a value that is a flag', { a: true }],
    ['a value that is null', { a: null }],
    ['a value that is an object', { a: { b: 'c' } }],
    ['a value that is a list', { a: ['b'] }],
    ['a value with U+0000', { a: '\0' }],
    ['a key with U+0000', { 'a\0': 'b' }],
    ['a value with half of a surrogate pair', { a: '\udc00' }],
  ])('with %s is refused with invalid_metadata', async (_, metadata) => {
    await using api = await startApi()

    expectError(await write(api, metadata), 400, 'invalid_metadata')
  })

  test.each([[['a']], ['a'], [17], [null]])('must be an object, not %j', async (metadata) => {
    await using api = await startApi()

    expectError(await write(api, metadata), 400, 'invalid_metadata')
  })
})

describe.each(stores)('on %s', (store) => {
  test('latchkey_pkce of an application is "required" or "optional"', async () => {
    await using api = await startApi(store)
    const write = (value: string) =>
      api.post(api.applications, { name: 'Shop', metadata: { latchkey_pkce: value } })
    for (const value of ['required', 'optional']) {
      const { status, body } = await write(value)
      expect([status, body.metadata]).toEqual([200, { latchkey_pkce: value }])
    }
    for (const value of ['Optional', 'none', '']) {
      expectError(await write(value), 400, 'invalid_metadata')
    }
  })

  test.each([
    ['latchkey_client', 'confidential', 'public', 'spa'],
    ['latchkey_client', 'confidential', 'native', 'mobile'],
    ['latchkey_nonce', 'required', 'optional', 'none'],
  ])('%s of an application is "%s" or "%s"', async (key, usual, exception, other) => {
    await using api = await startApi(store)
    const write = (metadata: object) => api.post(api.applications, { name: 'Shop', metadata })
    const more = key === 'latchkey_nonce' ? { latchkey_pkce: 'optional' } : {}
    for (const value of [usual, exception]) {
      expect((await write({ ...more, [key]: value })).status).toBe(200)
    }
    expectError(await write({ ...more, [key]: other }), 400, 'invalid_metadata')
    expectError(await write({ ...more, [key]: '' }), 400, 'invalid_metadata')
  })

  test.each([
    { latchkey_nonce: 'optional' },
    { latchkey_nonce: 'optional', latchkey_pkce: 'required' },
    { latchkey_client: 'public', latchkey_pkce: 'optional' },
    { latchkey_client: 'native', latchkey_pkce: 'optional' },
  ])('exceptions that do not go together are refused: %j', async (metadata) => {
    await using api = await startApi(store)
    const answer = await api.post(api.applications, { name: 'Shop', metadata })
    expectError(answer, 400, 'invalid_metadata')
  })

  test.each<[name: string, metadata: Record<string, string>, detail: RegExp]>([
    ['a profile that is not known', { latchkey_profile: 'fapi1' }, /the only profile is "fapi2"/],
    ['FAPI 2.0 without keys', { latchkey_profile: 'fapi2' }, /needs the public keys/],
    ['keys without a profile', { latchkey_jwks: jwks() }, /"latchkey_profile": "fapi2" only/],
    ['text in place of keys', fapi('keys'), /is not a JWK set/],
    ['no key', fapi('{"keys":[]}'), /is not a JWK set/],
    ['a private key', fapi(jwks({ isPrivate: true })), /Key 1 .* is a private key/],
    ['a key of P-384', fapi(jwks({ namedCurve: 'P-384' })), /Key 1 .* must be of P-256/],
    ['a shared key', fapi('{"keys":[{"kty":"oct","k":"AAAA"}]}'), /Key 1 .* must be of P-256/],
    [
      'keys in the metadata and at an address',
      { ...fapi(), latchkey_jwks_uri: 'https://shop.example/jwks.json' },
      /either "latchkey_jwks" or "latchkey_jwks_uri"/,
    ],
    [
      'an address of keys without a profile',
      { latchkey_jwks_uri: 'https://shop.example/jwks.json' },
      /"latchkey_profile": "fapi2" only/,
    ],
    [
      'FAPI 2.0 without PKCE',
      { ...fapi(), latchkey_pkce: 'optional' },
      /does not allow "latchkey_pkce"/,
    ],
    [
      'FAPI 2.0 without a secret or key',
      { ...fapi(), latchkey_client: 'public' },
      /does not allow "latchkey_client"/,
    ],
  ])('%s: refused for an application', async (_name, metadata, detail) => {
    await using api = await startApi(store)
    const answer = await api.post(api.applications, { name: 'Shop', metadata })
    expectError(answer, 400, 'invalid_metadata')
    expect(answer.headers.get('latchkey-error-detail')).toMatch(detail)
  })

  test.each([
    ['plain http', 'http://shop.example/jwks.json', /must begin with https/],
    ['no URL', 'jwks.json', /is not an absolute URL/],
    ['a password', 'https://a:b@shop.example/jwks.json', /user name or password/],
  ])('an address of keys with %s is refused', async (_name, url, detail) => {
    await using api = await startApi(store)
    const metadata = { latchkey_profile: 'fapi2', latchkey_jwks_uri: url }
    const answer = await api.post(api.applications, { name: 'Shop', metadata })
    expectError(answer, 400, 'invalid_url')
    expect(answer.headers.get('latchkey-error-detail')).toMatch(detail)
  })

  test('an application on FAPI 2.0 may have an address of its keys in place of the keys', async () => {
    await using api = await startApi(store)
    const latchkey_jwks_uri = 'https://shop.example/jwks.json'
    const metadata = { latchkey_profile: 'fapi2', latchkey_jwks_uri }
    const { id } = await api.create(api.applications, { name: 'Shop', metadata })
    const { body } = await api.get(`${api.applications}/${id}`)
    expect([body.metadata, body.secret]).toEqual([metadata, undefined])
    expect((await api.post(`${api.applications}/${id}`, body)).status).toBe(200)
  })

  test('an application on FAPI 2.0 has no secret in the API', async () => {
    await using api = await startApi(store)
    const metadata = fapi()
    const { id } = await api.create(api.applications, { name: 'Shop', metadata })
    const { body } = await api.get(`${api.applications}/${id}`)
    expect([body.metadata, body.secret]).toEqual([metadata, undefined])
  })

  test('a public application has no secret in the API, and its secret is good again once it is confidential', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, { name: 'Shop' })
    const path = `${api.applications}/${id}`
    const { body } = await api.get(path)
    expect(body.secret).toBeTruthy()

    const open = await api.post(path, { ...body, metadata: { latchkey_client: 'public' } })
    expect(open.body.secret).toBeUndefined()
    expect((await api.get(path)).body.secret).toBeUndefined()
    const closed = await api.post(path, { ...body, metadata: {} })
    expect(closed.body.secret).toBe(body.secret)
  })

  test('a latchkey_pkce from before the key had a meaning stays, and PKCE is required', async () => {
    await using api = await openApi(store)
    const { id } = await api.create(api.applications, { name: 'Shop' })
    const path = `${api.applications}/${id}`
    const metadata = { latchkey_pkce: 'sometimes' }
    const { store: data } = api.context
    const change = (last: Application) => ({ ...last, metadata })
    await data.applications.update(api.tenantId, id, change, anAudit('test'))

    const { body } = await api.get(path)
    expect((await api.post(path, { ...body, name: 'Blog' })).body.metadata).toEqual(metadata)
    expectError(
      await api.post(path, { ...body, metadata: { latchkey_pkce: 'seldom' } }),
      400,
      'invalid_metadata',
    )
    expect(exceptionsOf(metadata).isPkceOptional).toBe(false)
  })
})
