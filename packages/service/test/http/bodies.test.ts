import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const LIMIT = 256 * 1024

/** A user of exactly `bytes` bytes of JSON. */
function userOf(bytes: number): string {
  const start = '{"profile":{"email":"ada@example.com"},"filler":"'
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
}

test.each([
  ['text that is no JSON', 'profile=ada'],
  ['half an object', '{"profile":'],
  ['an object and more', '{} {}'],
  ['a trailing comma', '{"disabled":true,}'],
  ['single quotes', "{'disabled':true}"],
  ['NaN', '{"disabled":NaN}'],
  ['nothing', ''],
  ['white space', ' \n'],
  ['an array', '[{"profile":{"email":"ada@example.com"}}]'],
  ['a string', '"ada@example.com"'],
  ['a number', '17'],
  ['null', 'null'],
  ['true', 'true'],
  ['UTF-16', Buffer.from('\ufeff{"profile":{"email":"ada@example.com"}}', 'utf16le')],
  ['a byte that is not UTF-8', Buffer.from('{"profile":{"email":"ad\xe9@example.com"}}', 'latin1')],
  ['an overlong sequence of UTF-8', Buffer.from('{"a":"\xc0\xaf"}', 'latin1')],
])('a body that is %s is refused with invalid_json', async (_, body) => {
  await using api = await startApi()

  expectError(await api.post(api.users, body), 400, 'invalid_json')
  expect((await api.get(api.users)).body.total).toBe(0)
})

test.each([
  ['text/plain', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['another JSON', 'application/json-patch+json'],
  ['JSON in another charset', 'application/json; charset=iso-8859-1'],
  ['an empty type', ''],
])('a body announced as %s is refused with unsupported_media_type', async (_, type) => {
  await using api = await startApi()

  const answer = await api.post(api.users, '{}', { 'content-type': type })

  expectError(answer, 415, 'unsupported_media_type')
})

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
])('a body announced as %s is read', async (type) => {
  await using api = await startApi()
  const body = '{"profile":{"email":"ada@example.com"}}'

  expect((await api.post(api.users, body, { 'content-type': type })).status).toBe(200)
})

test('a create without any body is refused', async () => {
  await using api = await startApi()

  expect((await api.call('POST', api.users)).status).toBe(415)
  const typed = { 'content-type': 'application/json' }
  expectError(await api.call('POST', api.users, undefined, typed), 400, 'invalid_json')
})

test('a body of 256 KiB is read and one byte more is too large', async () => {
  await using api = await startApi()

  expect((await api.post(api.users, userOf(LIMIT))).status).toBe(200)
  expectError(await api.post(api.users, userOf(LIMIT + 1)), 413, 'request_too_large')
  expectError(await api.post(api.users, userOf(20 * LIMIT)), 413, 'request_too_large')
  expect((await api.get(api.users)).body.total).toBe(1)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])(
  'a body compressed with %s is read, and counts as large as it is uncompressed',
  async (encoding, compress) => {
    await using api = await startApi()
    const headers = { 'content-encoding': encoding }

    expect((await api.post(api.users, compress(userOf(1_000)), headers)).status).toBe(200)
    const bomb = compress(Buffer.alloc(10_000_000, ' '))
    expect(bomb.length).toBeLessThan(LIMIT)
    expectError(await api.post(api.users, bomb, headers), 413, 'request_too_large')
  },
)

test('a damaged or unknown compression is refused', async () => {
  await using api = await startApi()
  const whole = gzipSync(userOf(1_000))
  const headers = { 'content-encoding': 'gzip' }

  expectError(await api.post(api.users, whole.subarray(0, 20), headers), 400, 'invalid_json')
  expectError(await api.post(api.users, userOf(1_000), headers), 400, 'invalid_json')
  const unknown = await api.post(api.users, whole, { 'content-encoding': 'zip' })
  expectError(unknown, 415, 'unsupported_media_type')
})

test('a body nested as deep as it can be is read, or refused as bad input', async () => {
  await using api = await startApi()
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

  const ignored = await api.post(
    api.users,
    `{"deep":${nested},"profile":{"email":"ada@example.com"}}`,
  )
  expect(ignored.status).toBe(200)
  expect(ignored.headers.get('latchkey-ignored-fields')).toBe('deep')
  expectError(await api.post(api.users, `{"profile":${nested}}`), 400, 'invalid_request')
  expectError(await api.post(api.applications, `{"metadata":${nested}}`), 400, 'invalid_metadata')
})

test('a member called __proto__ is refused, wherever it stands', async () => {
  await using api = await startApi()
  const profile = '"email":"ada@example.com"'
  const bodies = [
    `{"__proto__":{"disabled":true},"profile":{${profile}}}`,
    `{"profile":{${profile},"__proto__":"x"}}`,
    `{"profile":{${profile}},"metadata":{"__proto__":"x"}}`,
    `{"profile":{${profile}},"other":[{"__proto__":"x"}]}`,
  ]
  for (const body of bodies) expect((await api.post(api.users, body)).status).toBe(400)
})

test('names that every JavaScript object knows are members like others', async () => {
  await using api = await startApi()
  const metadata = { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' }
  const profile = { email: 'ada@example.com', constructor: 'e', toJSON: 'f' }

  const user = await api.create(api.users, { profile, metadata })

  expect(user).toMatchObject({ profile, metadata })
  expect((await api.get(`${api.users}/${user.id}`)).body).toEqual(user)
})

test('if a member occurs twice in a body, the last one counts', async () => {
  await using api = await startApi()

  const answer = await api.post(
    api.users,
    '{"disabled":false,"disabled":true,"profile":{"email":"ada@example.com"}}',
  )

  expect(answer.body.disabled).toBe(true)
})

test('a byte order mark before the JSON is ignored', async () => {
  await using api = await startApi()

  const answer = await api.post(api.users, '\ufeff{"profile":{"email":"ada@example.com"}}')

  expect(answer.body.profile.email).toBe('ada@example.com')
})
