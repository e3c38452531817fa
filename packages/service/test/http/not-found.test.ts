import { describe, expect, test } from 'vitest'
import { type Answer, startApi, stores } from '../support/api.ts'
import { expectError, withoutRequest } from '../support/errors.ts'

const bcrypt = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

function expectOneAnswer(answers: Answer[]): void {
  for (const answer of answers) {
    expectError(answer, 404, 'not_found')
    expect(withoutRequest(answer)).toEqual(withoutRequest(answers[0] as Answer))
  }
}

describe.each(stores)('on %s', (store) => {
  test('a missing or deleted object, an unknown route and a tenant outside the key have the same answer', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const other = await admin.createTenant({ domain: 'other.example' })
    const gone = await admin.createTenant({ domain: 'gone.example' })
    await admin.deleteTenant(gone.id)
    const user = await api.createUser()
    const deleted = await api.createUser()
    await api.delete(`${api.users}/${deleted.id}`)

    expectOneAnswer([
      await api.get(`${api.users}/usr_0`),
      await api.get(`${api.users}/${deleted.id}`),
      await api.delete(`${api.users}/${deleted.id}`),
      await api.post(`${api.users}/${deleted.id}`, deleted),
      await api.get(`${api.users}/${deleted.id}/credentials`),
      await api.get(`${api.users}/${user.id}/credentials/password`),
      await api.get(`${api.users}/${user.id}/credentials/totp`),
      await api.get(`${api.applications}/app_0`),
      await api.get(`${api.applications}/${user.id}`),
      await api.get(`${api.users}/${user.id}/nothing`),
      await api.get('/v1'),
      await api.get('/v1/nothing'),
      await api.get('/v2/tenants'),
      await api.get('/v1/tenants/'),
      await api.get(`${api.users}/`),
      await api.get(api.users.replace('users', 'Users')),
      await api.get('/v1/tenants/ten_0'),
      await api.get(`/v1/tenants/${other.id}`),
      await api.get(`/v1/tenants/${gone.id}`),
      await api.get(`/v1/tenants/${other.id}/users`),
      await api.get(`/v1/tenants/${gone.id}/users`),
      await api.get(`/v1/tenants/${other.id}/applications`),
      await api.post(`/v1/tenants/${other.id}/users`, { profile: { email: 'a@example.com' } }),
      await api.post(`/v1/tenants/${other.id}/users`, '{'),
      await api.post(`/v1/tenants/${other.id}`, { settings: { domain: 'other.example' } }),
      await api.post(`/v1/tenants/${other.id}/applications`, {}),
    ])
  })

  test('an object is reached through its own tenant only', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const other = await admin.createTenant({ domain: 'other.example' })
    const { secret } = await admin.createApiKey({ name: 'all', reach: 'all' })
    const headers = { authorization: `Bearer ${secret}` }
    const user = await api.createUser('ada@example.com')
    const application = await api.create(api.applications, { name: 'Shop' })
    await api.create(`${api.users}/${user.id}/credentials`, {
      password: { alg: 'bcrypt', hash: bcrypt },
    })
    const there = `/v1/tenants/${other.id}`

    expectOneAnswer([
      await api.get(`${there}/users/${user.id}`, headers),
      await api.post(`${there}/users/${user.id}`, user, headers),
      await api.call('DELETE', `${there}/users/${user.id}`, undefined, headers),
      await api.get(`${there}/users/${user.id}/credentials`, headers),
      await api.get(`${there}/users/${user.id}/credentials/password`, headers),
      await api.call(
        'DELETE',
        `${there}/users/${user.id}/credentials/password`,
        undefined,
        headers,
      ),
      await api.get(`${there}/applications/${application.id}`, headers),
      await api.post(`${there}/applications/${application.id}`, application, headers),
      await api.call('DELETE', `${there}/applications/${application.id}`, undefined, headers),
    ])
    expect((await api.get(`${api.users}/${user.id}`)).body).toEqual(user)
    expect((await api.get(`${api.users}/${user.id}/credentials`)).body.total).toBe(1)
    expect((await api.get(api.applications)).body.total).toBe(1)
  })
})

test('ids are compared exactly, including case', async () => {
  await using api = await startApi()
  const user = await api.createUser()

  expectError(await api.get(`${api.users}/${user.id.toUpperCase()}`), 404, 'not_found')
  expectError(await api.get(`${api.users}/${user.id}%00`), 404, 'not_found')
  expectError(await api.get(`${api.users}/%ff`), 404, 'not_found')
})

const addresses: [path: string, allow: string][] = [
  ['', 'GET, HEAD'],
  ['/:tenant', 'GET, HEAD, POST'],
  ['/:tenant/applications', 'GET, HEAD, POST'],
  ['/:tenant/applications/app_0', 'DELETE, GET, HEAD, POST'],
  ['/:tenant/users', 'GET, HEAD, POST'],
  ['/:tenant/users/usr_0', 'DELETE, GET, HEAD, POST'],
  ['/:tenant/users/usr_0/credentials', 'GET, HEAD, POST'],
  ['/:tenant/users/usr_0/credentials/password', 'DELETE, GET, HEAD, POST'],
]

test.each(addresses)(
  '/v1/tenants%s answers other methods with 405 and allow: %s',
  async (path, allow) => {
    await using api = await startApi()
    const address = `/v1/tenants${path.replace(':tenant', api.tenantId)}`
    const others = ['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'POST'].filter(
      (method) => !allow.includes(method),
    )
    for (const method of others) {
      const answer = await api.call(method, address)

      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow)
      expectError(answer, 405, 'method_not_allowed')
    }
  },
)

test('HEAD is answered as GET is, without the body: for what is there, what is not, and without a key', async () => {
  await using api = await startApi()
  const compare = async (path: string, status: number): Promise<void> => {
    const [got, head] = [await api.call('GET', path), await api.call('HEAD', path)]
    expect([got.status, head.status]).toEqual([status, status])
    expect(head.body).toBeUndefined()
    for (const name of ['content-type', 'content-length', 'link', 'cache-control'])
      expect(head.headers.get(name)).toBe(got.headers.get(name))
  }
  await compare('/v1/tenants', 200)
  await compare(`/v1/tenants/${api.tenantId}/users?limit=1`, 200)
  await compare(`/v1/tenants/${api.tenantId}/users/usr_0`, 404)
  await compare('/x/health', 200)
})
