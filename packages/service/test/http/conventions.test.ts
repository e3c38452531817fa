import { describe, expect, test } from 'vitest'
import { type Api, startApi, stores } from '../support/api.ts'

const bcrypt = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

/** One object of every kind, as a GET returns it, with its address. */
async function oneOfEach(api: Api): Promise<{ path: string; type: string }[]> {
  const user = await api.createUser()
  const application = await api.create(api.applications, { name: 'Shop' })
  const credentials = `${api.users}/${user.id}/credentials`
  await api.create(credentials, { password: { alg: 'bcrypt', hash: bcrypt } })
  return [
    { path: api.tenant, type: 'Tenant' },
    { path: `${api.applications}/${application.id}`, type: 'Application' },
    { path: `${api.users}/${user.id}`, type: 'User' },
    { path: `${credentials}/password`, type: 'PasswordCredential' },
  ]
}

describe.each(stores)('on %s', (store) => {
  test('every object has type, id, created_at and updated_at in RFC 3339 UTC', async () => {
    await using api = await startApi(store)

    for (const { path, type } of await oneOfEach(api)) {
      const { body } = await api.get(path)
      expect(body.type).toBe(type)
      expect(body.id).toEqual(expect.any(String))
      expect(body.created_at).toMatch(TIMESTAMP)
      expect(body.updated_at).toMatch(TIMESTAMP)
    }
  })

  test('created_at stays and updated_at grows with every update, even when the clock stands still', async () => {
    const now = Date.parse('2026-02-03T04:05:06.789Z')
    await using api = await startApi(store, { clock: { now: () => now } })

    for (const { path } of await oneOfEach(api)) {
      const first = (await api.get(path)).body
      expect(first.created_at).toContain('2026-02-03T04:05:06.789')
      let last = first.updated_at
      for (let i = 0; i < 3; i++) {
        const { body } = await api.post(path, first)
        expect(body.created_at).toBe(first.created_at)
        expect(body.updated_at > last).toBe(true)
        last = body.updated_at
      }
      expect((await api.get(path)).body.updated_at).toBe(last)
    }
  })

  test('updated_at grows even when the clock steps back', async () => {
    let now = Date.now()
    await using api = await startApi(store, { clock: { now: () => now } })
    const objects = await oneOfEach(api)
    now -= 3_600_000

    for (const { path } of objects) {
      const before = (await api.get(path)).body
      const { body } = await api.post(path, before)
      expect(body.updated_at > before.updated_at).toBe(true)
    }
  })

  test('id, created_at, updated_at and type in a body are ignored: only the route id is used', async () => {
    await using api = await startApi(store)
    const other = await api.createUser()

    for (const { path } of await oneOfEach(api)) {
      const before = (await api.get(path)).body
      const system = {
        id: other.id,
        created_at: '1999-01-01T00:00:00Z',
        updated_at: 'yesterday',
      }
      const { status, headers, body } = await api.post(path, { ...before, ...system })

      expect(status).toBe(200)
      expect(headers.get('latchkey-ignored-fields')).toBeNull()
      expect(body).toEqual({ ...before, updated_at: body.updated_at })
      expect((await api.get(path)).body).toEqual(body)
    }
    expect((await api.get(`${api.users}/${other.id}`)).body).toEqual(other)
  })

  test('system-managed fields are ignored on create', async () => {
    await using api = await startApi(store)
    const system = {
      type: 'Else',
      id: 'usr_mine',
      created_at: '1999-01-01T00:00:00Z',
      updated_at: '1999-01-01T00:00:00Z',
    }

    const user = await api.create(api.users, { ...system, profile: { email: 'a@example.com' } })
    const application = await api.create(api.applications, { ...system, secret: 'mine' })

    expect(user).toMatchObject({ type: 'User', id: expect.stringMatching(/^usr_[0-9a-z]{26}$/) })
    expect(application).toMatchObject({
      type: 'Application',
      id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
    })
    for (const object of [user, application]) {
      expect(object.created_at > '2020').toBe(true)
      expect(object.updated_at).toBe(object.created_at)
    }
  })

  test('metadata is set, replaced and, when omitted, cleared on every updatable object', async () => {
    await using api = await startApi(store)

    for (const { path } of await oneOfEach(api)) {
      const before = (await api.get(path)).body
      expect(before).not.toHaveProperty('metadata')

      const set = await api.post(path, { ...before, metadata: { plan: 'gold', empty: '' } })
      expect(set.body.metadata).toEqual({ plan: 'gold', empty: '' })
      expect((await api.get(path)).body).toEqual(set.body)
      const replaced = await api.post(path, { ...before, metadata: { seat: '17' } })
      expect(replaced.body.metadata).toEqual({ seat: '17' })
      const cleared = await api.post(path, before)
      expect(cleared.body).not.toHaveProperty('metadata')
      expect((await api.get(path)).body).toEqual(cleared.body)
    }
  })

  test('the response to a write equals that to a GET', async () => {
    await using api = await startApi(store)

    for (const { path } of await oneOfEach(api)) {
      const before = (await api.get(path)).body
      const { body } = await api.post(path, { ...before, metadata: { a: 'b' } })
      expect((await api.get(path)).body).toEqual(body)
    }
  })
})

test('zero values and false are omitted, except for logout_urls and redirect_urls', async () => {
  await using api = await startApi()
  const system = { created_at: expect.any(String), updated_at: expect.any(String) }

  const user = await api.create(api.users, {
    metadata: {},
    disabled: false,
    profile: { email: 'ada@example.com', name: '', email_verified: false },
  })
  expect(user).toEqual({
    ...system,
    type: 'User',
    id: user.id,
    profile: { email: 'ada@example.com' },
  })

  const application = await api.create(api.applications, { name: '', login_url: '', metadata: {} })
  expect(application).toEqual({
    ...system,
    type: 'Application',
    id: application.id,
    logout_urls: [],
    redirect_urls: [],
  })

  const { body: tenant } = await api.post(api.tenant, {
    name: '',
    settings: { domain: 'acme.example', allow_passwords: false, remember_login_seconds: 0 },
  })
  expect(tenant).toEqual({
    ...system,
    type: 'Tenant',
    id: api.tenantId,
    settings: { domain: 'acme.example' },
  })
})

test('unknown members of a body are ignored and named in latchkey-ignored-fields', async () => {
  await using api = await startApi()
  const { body: tenant } = await api.get(api.tenant)

  const user = await api.post(api.users, {
    colour: 'blue',
    profile: { email: 'ada@example.com', age: 17, address: { city: 'London' } },
  })
  const changed = await api.post(api.tenant, {
    ...tenant,
    plan: null,
    settings: { ...tenant.settings, theme: 'dark' },
  })

  expect(user.headers.get('latchkey-ignored-fields')?.split(', ').sort()).toEqual([
    'colour',
    'profile.address',
    'profile.age',
  ])
  expect(user.body.profile).toEqual({ email: 'ada@example.com' })
  expect(changed.headers.get('latchkey-ignored-fields')?.split(', ').sort()).toEqual([
    'plan',
    'settings.theme',
  ])
  expect(changed.body).toEqual({ ...tenant, updated_at: changed.body.updated_at })
})

test('every answer is JSON that no cache keeps', async () => {
  await using api = await startApi()

  for (const { path } of await oneOfEach(api)) {
    const { headers } = await api.get(path)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-powered-by')).toBeNull()
  }
})
