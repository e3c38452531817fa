import { describe, expect, test } from 'vitest'
import { type Answer, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const emailsOf = ({ body }: Answer) =>
  body.data.map(({ profile }: { profile: { email: string } }) => profile.email)

const nextOf = (answer: Answer) =>
  /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]

describe.each(stores)('on %s', (store) => {
  test('users are found by the beginning of their address, names and id, page by page', async () => {
    await using api = await startApi(store)
    const users = `/x${api.users}`
    const ada = await api.create(api.users, {
      profile: { email: 'ada@example.com', name: 'Ada Lovelace', family_name: 'Lovelace' },
    })
    await api.create(api.users, { profile: { email: 'lovel@example.com', name: 'Bob' } })
    await api.create(api.users, { profile: { email: 'eve@example.com', name: 'Eve' } })

    const first = await api.get(`${users}?search=Love&limit=1`)
    expect(first.body).toEqual({ type: 'List', count: 1, limit: 1, data: [expect.anything()] })
    const second = await api.get(nextOf(first) as string)
    expect([...emailsOf(first), ...emailsOf(second)]).toEqual([
      'lovel@example.com',
      'ada@example.com',
    ])
    expect(nextOf(second)).toBeUndefined()
    expect((await api.get(`${users}?search=${ada.id}`)).body.data).toEqual([ada])
    expect(emailsOf(await api.get(`${users}?search=nobody`))).toEqual([])
    expect(emailsOf(await api.get(users))).toHaveLength(3)
    expect(emailsOf(await api.get(`${users}?search=`))).toHaveLength(3)
  })

  test('users are filtered by whether they are disabled or verified', async () => {
    await using api = await startApi(store)
    const users = `/x${api.users}`
    await api.create(api.users, { profile: { email: 'a@example.com', email_verified: true } })
    await api.create(api.users, { profile: { email: 'b@example.com' }, disabled: true })

    expect(emailsOf(await api.get(`${users}?disabled=true`))).toEqual(['b@example.com'])
    expect(emailsOf(await api.get(`${users}?disabled=false`))).toEqual(['a@example.com'])
    expect(emailsOf(await api.get(`${users}?verified=true`))).toEqual(['a@example.com'])
    expect(emailsOf(await api.get(`${users}?verified=false&search=b`))).toEqual(['b@example.com'])
  })
})

test('users are filtered by their last login', async () => {
  await using api = await startApi()
  const users = `/x${api.users}`
  await api.create(api.users, { profile: { email: 'a@example.com' } })
  expect(emailsOf(await api.get(`${users}?last_login_by=never`))).toEqual(['a@example.com'])
  expect(emailsOf(await api.get(`${users}?last_login_by=passkey`))).toEqual([])
  expect(emailsOf(await api.get(`${users}?not_since=2999-12-31`))).toEqual(['a@example.com'])
  expect(emailsOf(await api.get(`${users}?not_since=2020-01-01`))).toEqual([])
})

test('an unknown query parameter of a search is refused with the nearest name', async () => {
  await using api = await startApi()
  const answer = await api.get(`/x${api.users}?serach=ada`)
  expectError(answer, 400, 'invalid_request')
  expect(answer.headers.get('latchkey-error-detail')).toBe(
    'This list has no query parameter "serach"; did you mean "search"?',
  )
})

test.each([
  'disabled=yes',
  'last_login_by=Password',
  'last_login_by=',
  'not_since=2026-02-31',
  'not_since=',
  'verified=',
  `search=${'a'.repeat(255)}`,
  'search=a&search=b',
  'limit=0',
  'after=usr_1',
  'after=',
  `after=${Buffer.from('["a"]').toString('base64url')}`,
  `after=${Buffer.from('[1,2]').toString('base64url')}`,
])('a search with %s is refused', async (query) => {
  await using api = await startApi()
  expectError(await api.get(`/x${api.users}?${query}`), 400, 'invalid_request')
})

test('a key searches the users of the tenants that it reaches, and no others', async () => {
  await using api = await startApi()
  const { id } = await api.service.admin.createTenant({ domain: 'other.example' })
  expectError(await api.get(`/x/v1/tenants/${id}/users?search=a`), 404, 'not_found')
  const { secret } = await api.service.admin.createApiKey({ name: 'all', reach: 'all' })
  const headers = { authorization: `Bearer ${secret}` }
  expectError(await api.get('/x/v1/tenants/ten_x/users?search=a', headers), 404, 'not_found')
  expectError(await api.get(`/x${api.users}`, { authorization: '' }), 401, 'authentication_failure')
})

test('a read-only key searches', async () => {
  await using api = await startApi()
  const input = { name: 'reads', reach: [api.tenantId], readOnly: true }
  const { secret } = await api.service.admin.createApiKey(input)
  const { status } = await api.get(`/x${api.users}`, { authorization: `Bearer ${secret}` })
  expect(status).toBe(200)
})
