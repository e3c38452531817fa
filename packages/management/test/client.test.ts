import {
  AuthenticationError,
  createManagementClient,
  type Fetch,
  NotFoundError,
} from '@latchkey/management'
import { describe, expect, test, vi } from 'vitest'
import { servers, startManaged } from './support/servers.ts'
import { startSpecServer } from './support/spec-server.ts'

const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'

describe.each(servers)('a server reached %s', (kind) => {
  test('lists, shows and updates its tenants', async () => {
    await using server = await startManaged(kind)
    const { client, tenantId } = server
    const tenants = await Array.fromAsync(client.tenants.list())
    expect(tenants.map(({ id }) => id)).toEqual([tenantId])
    const updated = await client.tenants.update(tenantId, (tenant) => {
      tenant.settings.company_name = 'Acme'
    })
    expect(updated.settings).toMatchObject({ company_name: 'Acme', domain: 'login.example' })
    expect((await client.tenants.get(tenantId)).settings.company_name).toBe('Acme')
  })

  test('creates, changes, lists and deletes an application', async () => {
    await using server = await startManaged(kind)
    const applications = server.client.applications(server.tenantId)
    const created = await applications.create({
      name: 'Shop',
      redirect_urls: ['https://a.example/cb'],
    })
    expect(created).toMatchObject({ secret: '', logout_urls: [], metadata: {} })
    expect((await applications.get(created.id)).secret).not.toBe('')

    const updated = await applications.update(created.id, { login_url: 'https://a.example/login' })
    expect(updated).toMatchObject({ name: 'Shop', redirect_urls: ['https://a.example/cb'] })
    expect(await applications.delete(created.id)).toMatchObject({ id: created.id, name: 'Shop' })
    expect(await Array.fromAsync(applications.list())).toEqual([])
  })

  test('gives a user with every omitted member at its zero value', async () => {
    await using server = await startManaged(kind)
    const users = server.client.users(server.tenantId)
    const created = await users.create({ profile: { email: 'ada@example.com' } })
    for (const user of [created, await users.get(created.id)]) {
      expect(user).toMatchObject({ disabled: false, metadata: {} })
      expect(user.profile).toMatchObject({ name: '', family_name: '', email_verified: false })
      expect(user.verified_at).toBeUndefined()
    }
  })

  test('disables and enables a user by posting the complete object', async () => {
    await using server = await startManaged(kind)
    const users = server.client.users(server.tenantId)
    const { id } = await users.create({
      metadata: { plan: 'gold' },
      profile: { email: 'ada@example.com', name: 'Ada' },
    })
    expect((await users.update(id, { disabled: true })).disabled).toBe(true)
    const enabled = await users.update(id, (user) => ({ ...user, disabled: false }))
    expect(enabled).toMatchObject({ disabled: false, metadata: { plan: 'gold' } })
    expect(enabled.profile.name).toBe('Ada')
  })

  test('takes a legacy hash and shows the credential wrapped', async () => {
    await using server = await startManaged(kind)
    const { client, tenantId } = server
    const user = await client.users(tenantId).create({ profile: { email: 'ada@example.com' } })
    const credentials = client.credentials(tenantId, user.id)
    const created = await credentials.create({
      password: { alg: 'md5', hash: '3cb4e732631f47e6eb961f34554b7cde' },
    })
    expect(created).toMatchObject({ id: 'password', disabled: false })
    expect(created.password.alg).toBe('md5|bcrypt')
    expect((await credentials.update('password', { disabled: true })).disabled).toBe(true)
    expect((await Array.fromAsync(credentials.list())).length).toBe(1)
    await credentials.delete('password')
    await expect(credentials.get('password')).rejects.toThrow(NotFoundError)
  })

  test('imports users with their passwords, and reports the result for each', async () => {
    await using server = await startManaged(kind)
    const { client, tenantId } = server
    const users = client.users(tenantId)
    const inputs = Array.from({ length: 120 }, (_, n) => ({
      profile: { email: `user-${n}@example.com`, name: `User ${n}` },
      ...(n % 2 === 0 && { password: { alg: 'bcrypt' as const, hash: BCRYPT } }),
    }))
    const results = await Array.fromAsync(users.import(inputs))
    expect(results.map(({ status }) => status)).toEqual(inputs.map(() => 'created'))
    const ids = results.map((result) => (result.status === 'created' ? result.id : ''))
    expect((await users.get(ids[119] ?? '')).profile.email).toBe('user-119@example.com')
    const totalOf = async (id = '') => (await client.credentials(tenantId, id).page()).total
    expect([await totalOf(ids[0]), await totalOf(ids[1])]).toEqual([1, 0])
  })

  test('lists more users than fit a page, each once, in the order of creation', async () => {
    await using server = await startManaged(kind)
    const users = server.client.users(server.tenantId)
    const emails = Array.from({ length: 230 }, (_, n) => `user-${n}@example.com`)
    for (const email of emails) await users.create({ profile: { email } })
    const listed: string[] = []
    for await (const user of users.list()) listed.push(user.profile.email)
    expect(listed).toEqual(emails)
  })

  test('refuses with an error that has code, status and uuid, and no key in it', async () => {
    await using server = await startManaged(kind)
    const missing = await server.client
      .users(server.tenantId)
      .get('nobody')
      .catch((e) => e)
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({ status: 404, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) })

    const stranger = server.connect({ apiKey: 'wrong_key_42' })
    const refused = await stranger
      .users(server.tenantId)
      .get('x')
      .catch((e) => e)
    expect(refused).toBeInstanceOf(AuthenticationError)
    expect(refused).toMatchObject({ code: 'authentication_failure', status: 401 })
    expect(`${refused.stack}${JSON.stringify(refused)}`).not.toContain('wrong_key_42')
  })
})

test.each([
  ['many in a request', true],
  ['one by one', false],
])(
  'an import %s reports which users existed and whose passwords were refused',
  async (_, isBulk) => {
    await using server = await startManaged('in process')
    const plain = server.connect({})
    const client = isBulk ? plain : server.connect({ hide: '/x/' })
    const there = await plain
      .users(server.tenantId)
      .create({ profile: { email: 'ada@example.com', name: 'Ada' } })
    const results = await Array.fromAsync(
      client
        .users(server.tenantId)
        .import([
          { profile: { email: 'ADA@example.com' } },
          { profile: { email: 'nonsense' } },
          { profile: { email: 'bob@example.com' }, password: { alg: 'md5', hash: 'short' } },
          { profile: { email: 'eve@example.com' } },
        ]),
    )
    expect(results).toMatchObject([
      { status: 'existing', ...(isBulk && { user: there }) },
      { status: 'refused', code: 'invalid_email', detail: expect.stringMatching(/\w+ \w+/) },
      { status: 'refused', code: 'invalid_hash' },
      { status: 'created' },
    ])
    // One by one, the user is there before the password is refused.
    const { total } = await plain.users(server.tenantId).page()
    expect(total).toBe(isBulk ? 2 : 3)
    expect('id' in (results[2] ?? {})).toBe(!isBulk)
  },
)

test('the service says in "detail" what to do', async () => {
  await using server = await startManaged('in process')
  const error = await server.client
    .users(server.tenantId)
    .create({ profile: { email: 'nonsense' } })
    .catch((e) => e)
  expect(error).toMatchObject({ code: 'invalid_email', status: 400 })
  expect(error.detail).toMatch(/\w+ \w+/)
})

test('members that the client does not know are kept and posted back', async () => {
  await using server = await startSpecServer()
  const { url, apiKey, tenantId } = server
  const client = createManagementClient({ baseUrl: url, apiKey })
  const tenant = await client.tenants.get(tenantId)
  expect(tenant).toMatchObject({ region: 'north', x_shard: 7 })

  await client.tenants.update(tenantId, { name: 'Acme' })
  expect(server.posted.at(-1)).toMatchObject({ region: 'north', x_shard: 7, name: 'Acme' })
})

test('an update posts no empty string that the server had left out', async () => {
  await using server = await startSpecServer()
  const { url, apiKey, tenantId } = server
  const users = createManagementClient({ baseUrl: url, apiKey }).users(tenantId)
  const { id } = await users.create({ profile: { email: 'ada@example.com', name: 'Ada' } })
  await users.update(id, (user) => {
    user.profile.name = ''
    user.disabled = true
  })
  expect(server.posted.at(-1)).toMatchObject({ disabled: true, profile: { name: '' } })
  expect(server.posted.at(-1)?.profile).not.toHaveProperty('family_name')
})

test('an update keeps metadata with an empty value, and adds it', async () => {
  await using server = await startManaged('over a socket')
  const users = server.client.users(server.tenantId)
  const profile = { email: 'ada@example.com' }
  const { id } = await users.create({ profile, metadata: { empty: '', plan: 'gold' } })
  expect((await users.update(id, { disabled: true })).metadata).toEqual({ empty: '', plan: 'gold' })
  await users.update(id, (user) => {
    user.metadata = { ...user.metadata, added: '' }
  })
  expect((await users.get(id)).metadata).toEqual({ empty: '', plan: 'gold', added: '' })

  const bob = await users.create({ profile: { email: 'bob@example.com' } })
  expect((await users.update(bob.id, { metadata: { only: '' } })).metadata).toEqual({ only: '' })
  expect((await users.update(bob.id, { metadata: {} })).metadata).toEqual({})
})

test('users are imported on a platform that has no Buffer', async () => {
  const fetch: Fetch = async (_url, { body }) => {
    const { users } = JSON.parse(body ?? '')
    const data = users.map((_: unknown, n: number) => ({ status: 'created', id: `usr_${n}` }))
    const text = async () => JSON.stringify({ type: 'UserImport', data })
    return { ok: true, status: 200, headers: new Headers(), text }
  }
  const client = createManagementClient({ baseUrl: 'https://login.example', apiKey: 'key', fetch })
  vi.stubGlobal('Buffer', undefined)
  try {
    const users = client.users('t').import([{ profile: { email: 'ada@example.com', name: 'Ådå' } }])
    expect(await Array.fromAsync(users)).toEqual([{ status: 'created', id: 'usr_0' }])
  } finally {
    vi.unstubAllGlobals()
  }
})
