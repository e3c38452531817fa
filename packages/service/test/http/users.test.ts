import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const bcrypt = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'
const profile = {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  family_name: 'Lovelace',
  given_name: 'Ada',
}

describe.each(stores)('on %s', (store) => {
  test('a created user has a generated id and what was sent', async () => {
    await using api = await startApi(store)

    const { status, body } = await api.post(api.users, {
      type: 'User',
      metadata: { customer: '17' },
      profile,
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      type: 'User',
      id: expect.stringMatching(/^usr_[0-9a-hjkmnp-tv-z]{26}$/),
      created_at: expect.any(String),
      updated_at: body.created_at,
      metadata: { customer: '17' },
      profile,
    })
    expect((await api.get(`${api.users}/${body.id}`)).body).toEqual(body)
    expect((await api.get(api.users)).body.data).toEqual([body])
  })

  test('a user is created without credentials', async () => {
    await using api = await startApi(store)

    const { id } = await api.createUser()

    expect((await api.get(`${api.users}/${id}/credentials`)).body).toEqual({
      type: 'List',
      total: 0,
      count: 0,
      limit: 100,
      data: [],
    })
  })

  test('an update is a full replacement: what is omitted becomes empty or false', async () => {
    await using api = await startApi(store)
    const created = await api.create(api.users, {
      profile: { ...profile, nickname: 'ada', email_verified: true },
      metadata: { a: 'b' },
      disabled: true,
    })

    const { body } = await api.post(`${api.users}/${created.id}`, {
      profile: { email: profile.email },
    })

    expect(body).toEqual({
      type: 'User',
      id: created.id,
      created_at: created.created_at,
      updated_at: body.updated_at,
      profile: { email: profile.email },
    })
    expect((await api.get(`${api.users}/${created.id}`)).body).toEqual(body)
  })

  test.each(['first_name', 'givenname'])(
    '%s is accepted for given_name, on create and update',
    async (alias) => {
      await using api = await startApi(store)

      const created = await api.create(api.users, {
        profile: { email: 'ada@example.com', [alias]: 'Ada' },
      })
      expect(created.profile).toEqual({ email: 'ada@example.com', given_name: 'Ada' })
      const { body } = await api.post(`${api.users}/${created.id}`, {
        profile: { email: 'ada@example.com', [alias]: 'Augusta' },
      })
      expect(body.profile).toEqual({ email: 'ada@example.com', given_name: 'Augusta' })
    },
  )

  test('an empty given name counts as absent, and one that loses to another is named as ignored', async () => {
    await using api = await startApi(store)
    const email = 'ada@example.com'
    const { id } = await api.createUser(email)
    for (const [names, given_name, ignored] of [
      [{ given_name: '', first_name: 'New' }, 'New', null],
      [{ first_name: '', givenname: 'New' }, 'New', null],
      [{ given_name: 'Old', first_name: 'New' }, 'Old', 'profile.first_name'],
      [{ first_name: 'New', givenname: 'Third' }, 'New', 'profile.givenname'],
      [{ given_name: 'Old', first_name: 'Old', givenname: '' }, 'Old', null],
    ] as const) {
      const body = { profile: { email, ...names } }
      const updated = await api.post(`${api.users}/${id}`, body)
      expect(updated.body.profile).toEqual({ email, given_name })
      expect(updated.headers.get('latchkey-ignored-fields')).toBe(ignored)
    }
    const body = { profile: { email: 'b@example.com', given_name: 'Old', first_name: 'New' } }
    const created = await api.post(api.users, body)
    expect(created.headers.get('latchkey-ignored-fields')).toBe('profile.first_name')
    expect((await api.post(`${api.users}/${id}`, { profile: { email } })).body.profile).toEqual({
      email,
    })
  })

  test('other string members of the profile are kept, on create and update', async () => {
    await using api = await startApi(store)
    const more = { email: 'ada@example.com', nickname: 'ada', 'x-crm id': '17', zoneinfo: '' }
    const kept = { email: 'ada@example.com', nickname: 'ada', 'x-crm id': '17' }

    const created = await api.post(api.users, { profile: more })
    const updated = await api.post(`${api.users}/${created.body.id}`, { profile: more })

    for (const { body, headers } of [created, updated]) {
      expect(body.profile).toEqual(kept)
      expect(headers.get('latchkey-ignored-fields')).toBeNull()
    }
    expect((await api.get(`${api.users}/${created.body.id}`)).body.profile).toEqual(kept)
  })

  test('a verification before 1970 is refused, on create, update and import, and the list stays readable', async () => {
    await using api = await startApi(store)
    const user = await api.createUser('ada@example.com')
    // The zero timestamps of Go and .NET, and the instants around the first one that is accepted.
    for (const [n, verified_at] of [
      '0001-01-01T00:00:00Z',
      '0000-01-01T00:00:00+23:59',
      '1600-01-01T00:00:00Z',
      '1969-12-31T23:59:59.999999Z',
    ].entries()) {
      const body = { profile: { email: `b${n}@example.com`, email_verified: true }, verified_at }
      expectError(await api.post(api.users, body), 400, 'invalid_request')
      const update = { profile: { ...user.profile, email_verified: true }, verified_at }
      const refused = await api.post(`${api.users}/${user.id}`, update)
      expectError(refused, 400, 'invalid_request')
      expect(refused.headers.get('latchkey-error-detail')).toBe(
        '"verified_at" must not be before 1970-01-01T00:00:00Z. Leave it out if the time is unknown.',
      )
      const imported = await api.post(`/x${api.users}/import`, { users: [body] })
      expect(imported.body).toMatchObject({ refused: 1, data: [{ code: 'invalid_request' }] })
    }
    expect((await api.get(api.users)).body).toMatchObject({ total: 1, data: [user] })

    const profile = { email: 'c@example.com', email_verified: true }
    const first = await api.create(api.users, { profile, verified_at: '1970-01-01T00:00:00Z' })
    expect(first.verified_at).toBe('1970-01-01T00:00:00.000000Z')
    expect((await api.get(api.users)).body.data).toEqual([user, first])
  })

  test('an unverified user posted back with the zero timestamp of a client stays as it is', async () => {
    await using api = await startApi(store)
    const user = await api.createUser('ada@example.com')
    const posted = { ...user, verified_at: '0001-01-01T00:00:00Z' }

    const { status, body, headers } = await api.post(`${api.users}/${user.id}`, posted)

    expect(status).toBe(200)
    expect(body).toEqual({ ...user, updated_at: body.updated_at })
    expect(headers.get('latchkey-ignored-fields')).toBe('verified_at')
  })

  test('an empty "verified_at" counts as absent, on create, update and import', async () => {
    await using api = await startApi(store)
    const user = await api.createUser('ada@example.com')

    const { status, body, headers } = await api.post(`${api.users}/${user.id}`, {
      ...user,
      verified_at: '',
    })

    expect([status, body]).toEqual([200, { ...user, updated_at: body.updated_at }])
    expect(headers.get('latchkey-ignored-fields')).toBeNull()
    const profile = { email: 'b@example.com', email_verified: true }
    const verified = await api.create(api.users, { profile, verified_at: '' })
    expect(verified.verified_at).toBe(verified.created_at)
    const users = [{ profile: { email: 'c@example.com' }, verified_at: '' }]
    expect((await api.post(`/x${api.users}/import`, { users })).body.created).toBe(1)
  })

  test('a day that does not exist is no timestamp', async () => {
    await using api = await startApi(store)
    const profile = { email: 'ada@example.com', email_verified: true }
    for (const verified_at of ['2024-02-30T00:00:00Z', '2023-02-29T00:00:00Z']) {
      expectError(await api.post(api.users, { profile, verified_at }), 400, 'invalid_request')
    }
    const verified_at = '2024-02-29T00:00:00.000000Z'
    expect((await api.create(api.users, { profile, verified_at })).verified_at).toBe(verified_at)
  })

  test('DELETE returns the last version, and the user is gone with all credentials', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser('ada@example.com')
    const path = `${api.users}/${id}`
    const credential = { password: { alg: 'bcrypt', hash: bcrypt } }
    await api.create(`${path}/credentials`, credential)
    const last = (await api.post(path, { profile, metadata: { a: 'b' } })).body

    const deleted = await api.delete(path)

    expect([deleted.status, deleted.body]).toEqual([200, last])
    expectError(await api.get(path), 404, 'not_found')
    expectError(await api.get(`${path}/credentials`), 404, 'not_found')
    expectError(await api.get(`${path}/credentials/password`), 404, 'not_found')
    expectError(await api.post(`${path}/credentials`, credential), 404, 'not_found')
    expectError(await api.delete(path), 404, 'not_found')
    expect((await api.get(api.users)).body).toMatchObject({ total: 0, data: [] })
  })

  test('the address of a deleted user is free again, and the next user with it starts without credentials', async () => {
    await using api = await startApi(store)
    const first = await api.createUser('ada@example.com')
    const credential = { password: { alg: 'bcrypt', hash: bcrypt } }
    await api.create(`${api.users}/${first.id}/credentials`, credential)
    await api.delete(`${api.users}/${first.id}`)

    const second = await api.createUser('ada@example.com')

    expect(second.id).not.toBe(first.id)
    expect((await api.get(`${api.users}/${second.id}/credentials`)).body.total).toBe(0)
  })

  test('an update that is refused changes nothing', async () => {
    await using api = await startApi(store)
    const user = await api.createUser('ada@example.com')
    await api.createUser('grace@example.com')
    const path = `${api.users}/${user.id}`

    const refused = [
      await api.post(path, { profile: { email: 'grace@example.com' }, disabled: true }),
      await api.post(path, { profile: { email: 'ada' }, disabled: true }),
      await api.post(path, { profile, metadata: { a: 1 } }),
      await api.post(path, { profile, verified_at: 'yesterday' }),
    ]

    expect(refused.map(({ status }) => status)).toEqual([409, 400, 400, 400])
    expect((await api.get(path)).body).toEqual(user)
  })
})

test('given_name takes precedence over its other names', async () => {
  await using api = await startApi()

  const user = await api.create(api.users, {
    profile: { email: 'a@example.com', first_name: 'x', given_name: 'Ada', givenname: 'y' },
  })

  expect(user.profile).toEqual({ email: 'a@example.com', given_name: 'Ada' })
})

test.each([
  ['no profile', {}, 'invalid_request'],
  ['a profile that is a string', { profile: 'ada@example.com' }, 'invalid_request'],
  ['a profile that is a list', { profile: ['ada@example.com'] }, 'invalid_request'],
  ['no email', { profile: { name: 'Ada' } }, 'invalid_email'],
  ['an email that is null', { profile: { email: null } }, 'invalid_email'],
  ['a name that is a number', { profile: { ...profile, name: 17 } }, 'invalid_request'],
  ['disabled as a string', { profile, disabled: 'true' }, 'invalid_request'],
  ['disabled as null', { profile, disabled: null }, 'invalid_request'],
  ['a verified_at that is no timestamp', { profile, verified_at: 17 }, 'invalid_request'],
  [
    'a name of 1,001 characters',
    { profile: { ...profile, name: 'x'.repeat(1_001) } },
    'invalid_request',
  ],
  ['a member with U+0000', { profile: { ...profile, nickname: 'a\0b' } }, 'invalid_request'],
  ['half of a surrogate pair', { profile: { ...profile, nickname: '\ud800' } }, 'invalid_request'],
  [
    'more than 50 members of the profile',
    {
      profile: {
        ...profile,
        ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${i}`, 'x'])),
      },
    },
    'invalid_request',
  ],
])('a user with %s is refused', async (_, body, code) => {
  await using api = await startApi()

  expectError(await api.post(api.users, body), 400, code)
  expect((await api.get(api.users)).body.total).toBe(0)
})
