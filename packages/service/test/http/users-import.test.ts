import { describe, expect, test } from 'vitest'
import { type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { bcryptOf, digestOf, PASSWORD } from '../support/hashes.ts'

const bcrypt = { alg: 'bcrypt', hash: bcryptOf[10] }
const userOf = (n: number) => ({ profile: { email: `user-${n}@example.com`, name: `User ${n}` } })
const importPath = (api: Api) => `/x${api.users}/import`

async function importUsers(api: Api, users: unknown[], headers = {}) {
  return api.post(importPath(api), { users }, headers)
}

describe.each(stores)('on %s', (store) => {
  test('users come with their passwords, in one request and in the order sent', async () => {
    await using api = await startApi(store)
    const users = [
      { ...userOf(0), password: bcrypt, metadata: { plan: 'gold' } },
      { profile: { email: 'user-1@example.com', email_verified: true, first_name: 'Ada' } },
      { ...userOf(2), disabled: true, password: { alg: 'md5', hash: digestOf.md5 } },
      { ...userOf(3), password: { alg: 'plain', hash: PASSWORD } },
    ]
    const { status, body } = await importUsers(api, users)

    expect(status).toBe(200)
    expect(body).toMatchObject({ type: 'UserImport', created: 4, existing: 0, refused: 0 })
    const [first, second, third, fourth] = body.data.map(({ id }: { id: string }) => id)
    expect((await api.get(`${api.users}/${first}`)).body).toMatchObject({
      metadata: { plan: 'gold' },
      profile: { email: 'user-0@example.com', name: 'User 0' },
    })
    expect((await api.get(`${api.users}/${second}`)).body).toMatchObject({
      verified_at: expect.any(String),
      profile: { given_name: 'Ada', email_verified: true },
    })
    expect((await api.get(`${api.users}/${third}`)).body.disabled).toBe(true)
    const algOf = async (id: string) =>
      (await api.get(`${api.users}/${id}/credentials/password`)).body.password?.alg
    expect(await algOf(first)).toBe('bcrypt')
    expect(await algOf(second)).toBeUndefined()
    expect(await algOf(third)).toBe('md5|bcrypt')
    expect(await algOf(fourth)).toBe('bcrypt')
    expect((await api.get(api.users)).body.total).toBe(4)
  })

  test('a repeated import finds the existing users, and changes nothing', async () => {
    await using api = await startApi(store)
    const there = await api.createUser('USER-1@example.com')
    await importUsers(api, [{ ...userOf(0), password: bcrypt }])
    const other = { profile: { email: 'user-0@example.com', name: 'Another' } }

    const { body } = await importUsers(api, [
      { ...other, password: { alg: 'bcrypt', hash: bcryptOf[12] } },
      { ...userOf(1), password: bcrypt },
      userOf(2),
      userOf(2),
    ])

    expect(body).toMatchObject({ created: 1, existing: 3, refused: 0 })
    expect(body.data[0].user.profile.name).toBe('User 0')
    expect(body.data[1].user).toEqual(there)
    // Of two that come at once, either is the first.
    const twins = body.data.slice(2).map((result: typeof body) => result.id ?? result.user.id)
    expect(twins[0]).toBe(twins[1])
    expect((await api.get(api.users)).body.total).toBe(3)
    const credentials = `${api.users}/${body.data[0].user.id}/credentials`
    expect((await api.get(`${credentials}/password`)).body.password.hash).toBe(bcryptOf[10])
    expect((await api.get(`${api.users}/${there.id}/credentials`)).body.total).toBe(0)
  })

  test('of a hundred users in a request, only those with a taken address are reported as existing', async () => {
    await using api = await startApi(store)
    for (const n of [7, 42, 99]) await api.create(api.users, userOf(n))
    const users: unknown[] = Array.from({ length: 100 }, (_, n) => ({
      ...userOf(n),
      password: bcrypt,
    }))
    users[50] = { ...userOf(49), password: bcrypt }
    users[60] = { ...userOf(60), password: { alg: 'bcrypt', hash: 'short' } }
    const { body } = await importUsers(api, users)

    expect(body).toMatchObject({ created: 95, existing: 4, refused: 1 })
    const of = (status: string) =>
      body.data.flatMap((one: { status: string }, n: number) => (one.status === status ? [n] : []))
    expect(of('refused')).toEqual([60])
    const [twin] = of('existing').filter((n: number) => n === 49 || n === 50)
    expect(of('existing')).toEqual([7, 42, twin, 99])
    expect((await api.get(api.users)).body.total).toBe(98)
    const { data } = (await api.get(`/x${api.tenant}/audit?action=user.create`)).body
    expect(data).toHaveLength(98)
  })

  test('an invalid user is refused with the code of /v1, and does not affect the others', async () => {
    await using api = await startApi(store)
    const metadata = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']))
    const faulty: [code: string, user: unknown][] = [
      ['invalid_email', { profile: { email: 'nobody' } }],
      ['invalid_email', { profile: { email: 7 } }],
      ['invalid_request', { profile: { email: 'a@example.com', name: 7 } }],
      ['invalid_metadata', { ...userOf(1), metadata }],
      ['invalid_hash', { ...userOf(1), password: { alg: 'md5', hash: 'short' } }],
      [
        'bcrypt_cost_out_of_range',
        { ...userOf(1), password: { alg: 'bcrypt', hash: bcryptOf[4] } },
      ],
      ['unsupported_algorithm', { ...userOf(1), password: { alg: 'scrypt', hash: 'x' } }],
      ['password_policy', { ...userOf(1), password: { alg: 'plain', hash: '' } }],
      ['invalid_request', { ...userOf(1), password: 'swordfish' }],
      ['invalid_request', { ...userOf(1), verified_at: 'yesterday' }],
      ['invalid_metadata', JSON.parse('{"profile":{},"metadata":{"__proto__":"x"}}')],
      ['invalid_request', null],
      ['invalid_request', ['ada@example.com']],
    ]
    const { status, body } = await importUsers(api, [...faulty.map(([, user]) => user), userOf(1)])

    expect(status).toBe(200)
    expect(body).toMatchObject({ created: 1, refused: faulty.length })
    const refusals = body.data.slice(0, -1)
    expect(refusals.map(({ code }: { code: string }) => code)).toEqual(faulty.map(([code]) => code))
    for (const { detail, status_code } of refusals) {
      expect(detail).toMatch(/\w+ \w+.*\.$/)
      expect(status_code).toBe(400)
      expect(detail).not.toContain('swordfish')
    }
    expect((await api.get(api.users)).body.total).toBe(1)
  })

  test('every user that was created is in the audit log, and the import as a whole', async () => {
    await using api = await startApi(store)
    const { headers, body } = await importUsers(api, [userOf(0), userOf(1), { profile: {} }])
    const requestId = headers.get('request-id') ?? ''
    const entries = await api.service.admin.audit({ requestId })
    expect(entries.map(({ action, target }) => [action, target]).reverse()).toEqual([
      ['user.create', body.data[0].id],
      ['user.create', body.data[1].id],
      ['user.import', '2 created, 0 existing, 1 refused'],
    ])
    expect(new Set(entries.map(({ tenantId }) => tenantId))).toEqual(new Set([api.tenantId]))
  })
})

test('of parallel imports of the same users, each user is created once', async () => {
  await using api = await startApi('SQLite')
  const users = Array.from({ length: 100 }, (_, n) => ({ ...userOf(n), password: bcrypt }))
  const answers = await Promise.all([1, 2, 3, 4].map(() => importUsers(api, users)))
  const created = answers.reduce((sum, { body }) => sum + body.created, 0)
  const existing = answers.reduce((sum, { body }) => sum + body.existing, 0)
  expect([created, existing]).toEqual([100, 300])
  expect((await api.get(api.users)).body.total).toBe(100)
})

test('a request that comes during a large import is answered before the import ends', async () => {
  await using api = await startApi('SQLite')
  const order: string[] = []
  const imports = Array.from({ length: 8 }, async (_, at) => {
    const users = Array.from({ length: 100 }, (_, n) => userOf(at * 100 + n))
    await importUsers(api, users)
    order.push('import')
  })
  await new Promise((resolve) => api.service.events.once('change', resolve))
  await api.get(api.tenant)
  order.push('get')
  await Promise.all(imports)
  expect(order.indexOf('get')).toBeLessThan(order.length - 2)
})

test('an empty import is answered, so that a client can probe for the endpoint', async () => {
  await using api = await startApi()
  expect((await importUsers(api, [])).body).toEqual({
    type: 'UserImport',
    created: 0,
    existing: 0,
    refused: 0,
    data: [],
  })
})

test('a request that is no list of at most 100 users is refused as a whole', async () => {
  await using api = await startApi()
  const path = importPath(api)
  expectError(await api.post(path, { people: [] }), 400, 'invalid_request')
  const many = Array.from({ length: 101 }, (_, n) => userOf(n))
  expectError(await importUsers(api, many), 400, 'invalid_request')
  expectError(await api.post(path, '[1'), 400, 'invalid_json')
  const large = JSON.stringify({ users: [{ profile: { email: 'x'.repeat(256 * 1024) } }] })
  expectError(await api.post(path, large), 413, 'request_too_large')
  expectError(
    await api.post(path, '{}', { 'content-type': 'text/csv' }),
    415,
    'unsupported_media_type',
  )
  expectError(await api.get(path), 405, 'method_not_allowed')
  expect((await api.get(api.users)).body.total).toBe(0)
})

test('an import needs a key that reaches the tenant', async () => {
  await using api = await startApi()
  const { admin } = api.service
  const other = await admin.createTenant({ domain: 'other.example' })
  const { secret } = await admin.createApiKey({ name: 'all', reach: 'all' })
  const path = (tenantId: string) => `/x/v1/tenants/${tenantId}/users/import`
  const body = { users: [userOf(0)] }
  const anonymous = await api.post(path(api.tenantId), body, { authorization: '' })
  expectError(anonymous, 401, 'authentication_failure')
  expectError(await api.post(path(other.id), body), 404, 'not_found')
  const all = { authorization: `Bearer ${secret}` }
  expectError(await api.post(path('ten_nothing'), body, all), 404, 'not_found')
  expect((await api.post(path(other.id), body, all)).body.created).toBe(1)
})

test('unknown members are ignored and named', async () => {
  await using api = await startApi()
  const { headers, body } = await importUsers(api, [{ ...userOf(0), roles: ['admin'] }, userOf(1)])
  expect(headers.get('latchkey-ignored-fields')).toBe('roles')
  expect(body.created).toBe(2)
})

test('100 users count as one request, and each password to be hashed as one more', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 3 })
  const { admin } = api.service
  const keys = await Promise.all(
    [1, 2].map(() => admin.createApiKey({ name: 'x', reach: [api.tenantId] })),
  )
  const [fast, slow] = keys.map(({ secret }) => ({ authorization: `Bearer ${secret}` }))
  const users = Array.from({ length: 100 }, (_, n) => ({ ...userOf(n), password: bcrypt }))
  expect((await importUsers(api, users, fast)).body.created).toBe(100)

  const plain = { alg: 'plain', hash: PASSWORD }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => {
      const hashed = [0, 1, 2].map((n) => ({ ...userOf(200 + 3 * at + n), password: plain }))
      return importUsers(api, hashed, slow)
    }),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).not.toEqual([])
  for (const answer of refused) {
    expectError(answer, 429, 'rate_limited')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  const created = 100 + 3 * (answers.length - refused.length)
  expect((await api.get(api.users)).body.total).toBe(created)
})

test.each([1, 3])(
  'a rested key that may make %i requests a second can import 5 passwords to be hashed, and a preview counts once',
  async (requestsPerSecond) => {
    await using api = await startApi('memory', { requestsPerSecond })
    const { admin } = api.service
    const keys = await Promise.all(
      [1, 2].map(() => admin.createApiKey({ name: 'x', reach: [api.tenantId] })),
    )
    const [one, other] = keys.map(({ secret }) => ({ authorization: `Bearer ${secret}` }))
    const plain = { alg: 'plain', hash: PASSWORD }
    const users = Array.from({ length: 5 }, (_, n) => ({ ...userOf(n), password: plain }))
    const previews = Array.from({ length: requestsPerSecond }, () =>
      api.post(`${importPath(api)}/preview`, { users }, one),
    )
    for (const { status, body } of await Promise.all(previews)) {
      expect([status, body.created]).toEqual([200, 5])
    }
    expect((await importUsers(api, users, other)).body.created).toBe(5)
  },
)
