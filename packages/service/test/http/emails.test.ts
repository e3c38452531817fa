import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

describe.each(stores)('on %s', (store) => {
  test('an address belongs to one user of a tenant, compared trimmed, in lower case and NFC', async () => {
    await using api = await startApi(store)
    await api.createUser('Zoë@Example.com')

    for (const email of [
      'Zoë@Example.com',
      'zoë@example.com',
      'ZOË@EXAMPLE.COM',
      '  zoë@example.com\t',
      'zoe\u0308@example.com',
      'ZOE\u0308@example.com',
    ]) {
      const answer = await api.post(api.users, { profile: { email } })
      expectError(answer, 409, 'already_exists')
    }
    expect((await api.get(api.users)).body.total).toBe(1)
  })

  test('an address is stored as it was sent', async () => {
    await using api = await startApi(store)
    const email = ' Zoe\u0308.O@Example.COM '

    const user = await api.createUser(email)

    expect(user.profile.email).toBe(email)
    expect((await api.get(`${api.users}/${user.id}`)).body.profile.email).toBe(email)
  })

  test('two tenants may have users with the same address', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const other = await admin.createTenant({ domain: 'other.example' })
    const { secret } = await admin.createApiKey({ name: 'other', reach: [other.id] })
    await api.createUser('ada@example.com')

    const answer = await api.post(
      `/v1/tenants/${other.id}/users`,
      { profile: { email: 'ada@example.com' } },
      { authorization: `Bearer ${secret}` },
    )

    expect(answer.status).toBe(200)
  })

  test('a user cannot take the address of another, but may change the writing of their own', async () => {
    await using api = await startApi(store)
    const ada = await api.createUser('ada@example.com')
    await api.createUser('grace@example.com')
    const path = `${api.users}/${ada.id}`

    const taken = await api.post(path, { profile: { email: 'GRACE@example.com' } })
    const rewritten = await api.post(path, { profile: { email: 'Ada@Example.com' } })

    expectError(taken, 409, 'already_exists')
    expect(rewritten.body.profile.email).toBe('Ada@Example.com')
  })

  test('an address that a user gave up is free', async () => {
    await using api = await startApi(store)
    const ada = await api.createUser('ada@example.com')
    await api.post(`${api.users}/${ada.id}`, { profile: { email: 'lovelace@example.com' } })

    expect((await api.createUser('ada@example.com')).profile.email).toBe('ada@example.com')
  })

  test('email_verified on create sets verified_at: the posted instant when it is in the past, else now', async () => {
    const now = Date.parse('2026-02-03T04:05:06Z')
    await using api = await startApi(store, { clock: { now: () => now } })
    const verified = async (email: string, verified_at?: string): Promise<string> => {
      const profile = { email, email_verified: true }
      const user = await api.create(api.users, { profile, ...(verified_at && { verified_at }) })
      expect(user.profile.email_verified).toBe(true)
      expect((await api.get(`${api.users}/${user.id}`)).body).toEqual(user)
      return user.verified_at
    }

    expect(Date.parse(await verified('a@example.com'))).toBe(now)
    const past = await verified('b@example.com', '2020-01-31T09:30:00.5+02:00')
    expect(past).toMatch(/^2020-01-31T07:30:00\.50*Z$/)
    expect(Date.parse(await verified('c@example.com', '2030-01-01T00:00:00Z'))).toBe(now)
  })

  test('verified_at is present once the user is verified, and not before', async () => {
    await using api = await startApi(store)
    const user = await api.create(api.users, {
      verified_at: '2020-01-01T00:00:00Z',
      profile: { email: 'ada@example.com' },
    })
    expect(user).not.toHaveProperty('verified_at')
    expect(user.profile).not.toHaveProperty('email_verified')

    const profile = { email: 'ada@example.com', email_verified: true }
    const { body } = await api.post(`${api.users}/${user.id}`, { profile })

    expect(body).toMatchObject({ verified_at: expect.any(String), profile })
  })

  test('verified_at without email_verified has no effect and is named as ignored', async () => {
    await using api = await startApi(store)
    const verified_at = '2020-01-01T00:00:00Z'
    const body = { verified_at, colour: 'blue', profile: { email: 'ada@example.com' } }

    const created = await api.post(api.users, body)
    const updated = await api.post(`${api.users}/${created.body.id}`, body)

    for (const { headers } of [created, updated]) {
      expect(headers.get('latchkey-ignored-fields')).toBe('colour, verified_at')
    }
    const profile = { email: 'ada@example.com', email_verified: true }
    const heeded = await api.post(`${api.users}/${created.body.id}`, { verified_at, profile })
    expect(heeded.headers.get('latchkey-ignored-fields')).toBeNull()
  })

  test('verified_at stays through updates that leave the address as it is', async () => {
    let now = Date.now()
    await using api = await startApi(store, { clock: { now: () => now } })
    const profile = { email: 'ada@example.com', email_verified: true }
    const user = await api.create(api.users, { profile })
    now += 60_000

    const returned = await api.post(`${api.users}/${user.id}`, { ...user, disabled: true })
    const omitted = await api.post(`${api.users}/${user.id}`, { profile })
    const recased = await api.post(`${api.users}/${user.id}`, {
      ...user,
      profile: { ...profile, email: 'Ada@example.com' },
    })

    for (const { body } of [returned, omitted, recased]) {
      expect(body.verified_at).toBe(user.verified_at)
      expect(body.profile.email_verified).toBe(true)
    }
  })

  test('changing the address resets email_verified and verified_at', async () => {
    await using api = await startApi(store)
    const user = await api.create(api.users, {
      profile: { email: 'ada@example.com', email_verified: true, name: 'Ada' },
    })
    const profile = { ...user.profile, email: 'lovelace@example.com' }

    const { body } = await api.post(`${api.users}/${user.id}`, { ...user, profile })

    const { verified_at: _, ...rest } = user
    expect(body).toEqual({
      ...rest,
      updated_at: body.updated_at,
      profile: { email: 'lovelace@example.com', name: 'Ada' },
    })
    expect((await api.get(`${api.users}/${user.id}`)).body).toEqual(body)
  })

  test('email_verified false makes the address unverified', async () => {
    await using api = await startApi(store)
    const user = await api.create(api.users, {
      profile: { email: 'ada@example.com', email_verified: true },
    })

    const { body } = await api.post(`${api.users}/${user.id}`, {
      ...user,
      profile: { email: 'ada@example.com', email_verified: false },
    })

    expect(body).not.toHaveProperty('verified_at')
    expect(body.profile).toEqual({ email: 'ada@example.com' })
  })
})

test.each([
  'ada@example.com',
  'ada+tag@example.co.uk',
  "o'hara_1-2.3@sub.example.com",
  'ada@localhost',
  'zoë@exämple.com',
  '用户@例子.广告',
  `${'x'.repeat(64)}@example.com`,
])('%s is an email address', async (email) => {
  await using api = await startApi()

  expect((await api.createUser(email)).profile.email).toBe(email)
})

test.each([
  ['nothing', ''],
  ['white space', '  '],
  ['a name alone', 'ada'],
  ['a domain alone', '@example.com'],
  ['a name without domain', 'ada@'],
  ['two at signs', 'ada@home@example.com'],
  ['a space inside', 'ada lovelace@example.com'],
  ['a display name', 'Ada <ada@example.com>'],
  ['two addresses', 'ada@example.com,grace@example.com'],
  ['an empty label', 'ada@example..com'],
  ['a line break', 'ada@example.com\nbcc:x@example.com'],
  ['U+0000', 'ada\0@example.com'],
  ['half of a surrogate pair', 'ada\ud800@example.com'],
  ['255 characters', `${'x'.repeat(243)}@example.com`],
])('an email address that is %s is refused with invalid_email', async (_, email) => {
  await using api = await startApi()

  expectError(await api.post(api.users, { profile: { email } }), 400, 'invalid_email')
})
