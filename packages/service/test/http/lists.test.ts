import { describe, expect, test } from 'vitest'
import { type Answer, type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

/**
 * Creates users one after the other; answers with their ids in the order of creation. Processes tell it by their clocks,
 * which agree to some milliseconds: of users that are made faster than that, a cluster lists the one whose process was
 * behind first.
 */
async function createUsers(api: Api, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await api.createUser()).id)
  return stores.includes('cluster') ? ids.toSorted() : ids
}

function idsOf({ body }: Answer): string[] {
  return body.data.map(({ id }: { id: string }) => id)
}

/** The address of the next page, from `Link`. */
function nextOf({ headers }: Answer): string | undefined {
  const link = headers.get('link')
  if (link === null) return undefined
  const [, address] = /^<([^>]+)>; rel="next"$/.exec(link) ?? []
  expect(address, link).toBeDefined()
  return address
}

describe.each(stores)('on %s', (store) => {
  test('an empty list has all members', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser()
    await api.delete(`${api.users}/${id}`)

    for (const path of [api.users, api.applications]) {
      const answer = await api.get(path)
      expect(answer.body).toEqual({ type: 'List', total: 0, count: 0, limit: 100, data: [] })
      expect(answer.headers.get('link')).toBeNull()
    }
  })

  test('a list is in the order of creation, and limit is 100 unless less was asked for', async () => {
    await using api = await startApi(store)
    const ids = await createUsers(api, 3)

    const whole = await api.get(api.users)
    expect(idsOf(whole)).toEqual(ids)
    expect(whole.body).toMatchObject({ total: 3, count: 3, limit: 100 })
    const part = await api.get(`${api.users}?limit=2`)
    expect(idsOf(part)).toEqual(ids.slice(0, 2))
    expect(part.body).toMatchObject({ total: 3, count: 2, limit: 2 })
  })

  test('without limit, a page has 100 objects', async () => {
    await using api = await startApi(store)
    const ids = await createUsers(api, 101)

    const first = await api.get(api.users)
    expect(first.body).toMatchObject({ total: 101, count: 100, limit: 100 })
    expect(idsOf(first)).toEqual(ids.slice(0, 100))
    const second = await api.get(nextOf(first) as string)
    expect(second.body).toMatchObject({ total: 101, count: 1, limit: 100 })
    expect(idsOf(second)).toEqual(ids.slice(100))
    expect(nextOf(second)).toBeUndefined()
  })

  test('the link of each page leads to the next, and the last page has none', async () => {
    await using api = await startApi(store)
    const ids = await createUsers(api, 6)

    const pages: string[][] = []
    for (let path: string | undefined = `${api.users}?limit=2`; path; ) {
      const answer: Answer = await api.get(path)
      expect(answer.body).toMatchObject({ total: 6, count: 2, limit: 2 })
      pages.push(idsOf(answer))
      path = nextOf(answer)
    }

    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  })

  test('after names the last item seen, also when it is deleted meanwhile', async () => {
    await using api = await startApi(store)
    const ids = await createUsers(api, 4)
    await api.delete(`${api.users}/${ids[1]}`)

    const answer = await api.get(`${api.users}?after=${ids[1]}`)

    expect(idsOf(answer)).toEqual(ids.slice(2))
    expect(answer.body).toMatchObject({ total: 3, count: 2, limit: 100 })
    expect((await api.get(`${api.users}?after=${ids[3]}`)).body).toMatchObject({
      total: 3,
      count: 0,
      data: [],
    })
  })

  test('applications and tenants are paged in the same way', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    for (let i = 0; i < 3; i++) {
      await api.create(api.applications, { name: `App ${i}` })
      await admin.createTenant({ domain: `t${i}.example` })
    }
    const { secret } = await admin.createApiKey({ name: 'all', reach: 'all' })
    const headers = { authorization: `Bearer ${secret}` }

    for (const path of [api.applications, '/v1/tenants']) {
      const whole = await api.get(path, headers)
      const first = await api.get(`${path}?limit=2`, headers)
      const second = await api.get(nextOf(first) as string, headers)
      expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(whole))
      expect(first.body.total).toBe(whole.body.total)
      expect(nextOf(second)).toBeUndefined()
    }
  })

  test('a key of some tenants pages through these alone', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const tenants: string[] = []
    for (let i = 0; i < 6; i++) {
      tenants.push((await admin.createTenant({ domain: `t${i}.example` })).id)
    }
    const reach = [tenants[4], tenants[0], tenants[2]] as string[]
    const { secret } = await admin.createApiKey({ name: 'some', reach })
    const headers = { authorization: `Bearer ${secret}` }

    const first = await api.get('/v1/tenants?limit=2', headers)
    const second = await api.get(nextOf(first) as string, headers)

    expect(idsOf(first)).toEqual([tenants[0], tenants[2]])
    expect(idsOf(second)).toEqual([tenants[4]])
    expect(first.body.total).toBe(3)
    expect(second.body.total).toBe(3)
  })

  test('total is exact through creates, refused creates, updates and deletes', async () => {
    await using api = await startApi(store)
    const total = async (): Promise<number> => (await api.get(`${api.users}?limit=1`)).body.total

    const [first, second] = await createUsers(api, 2)
    expect(await total()).toBe(2)
    const { body: user } = await api.get(`${api.users}/${first}`)
    await api.post(api.users, user)
    await api.post(api.users, { profile: {} })
    expect(await total()).toBe(2)
    await api.post(`${api.users}/${first}`, user)
    expect(await total()).toBe(2)
    await api.delete(`${api.users}/${second}`)
    await api.delete(`${api.users}/${second}`)
    expect(await total()).toBe(1)
  })
})

test.each(['0', '101', '-1', '1.5', '1e1', 'ten', '', ' 5', '0x10', '%00'])(
  'limit=%s is refused with invalid_request',
  async (limit) => {
    await using api = await startApi()

    for (const path of ['/v1/tenants', api.users, api.applications]) {
      expectError(await api.get(`${path}?limit=${limit}`), 400, 'invalid_request')
    }
  },
)

test.each([1, 2, 99, 100])('limit=%i is echoed', async (limit) => {
  await using api = await startApi()

  expect((await api.get(`${api.users}?limit=${limit}`)).body.limit).toBe(limit)
})

test('limit and after may stand in a query once', async () => {
  await using api = await startApi()
  const { id } = await api.createUser()

  expectError(await api.get(`${api.users}?limit=5&limit=6`), 400, 'invalid_request')
  expectError(await api.get(`${api.users}?after=${id}&after=${id}`), 400, 'invalid_request')
})

test.each([
  ['offset=5', '"offset"'],
  ['email=ada@example.com', '"email"'],
  ['page=2&per_page=50&limit=2', '"page", "per_page"'],
  ['Limit=2', '"Limit"'],
  ['colour', '"colour"'],
])('a list refuses ?%s and names what it does not know', async (query, named) => {
  await using api = await startApi()

  for (const path of ['/v1/tenants', api.users, api.applications]) {
    const answer = await api.get(`${path}?${query}`)
    expectError(answer, 400, 'invalid_request')
    expect(answer.headers.get('latchkey-error-detail')).toContain(named)
  }
})

test('the query of a single object is not looked at', async () => {
  await using api = await startApi()
  const user = await api.createUser()

  expect((await api.get(`${api.users}/${user.id}?limit=0&colour=blue`)).body).toEqual(user)
})

test.each(['zzz', '', '7', '%00', '%ff', "'%20OR%201=1--", 'usr_zzzz'])(
  'after=%s, which is no id, is refused with invalid_request',
  async (after) => {
    await using api = await startApi()
    const { id } = await api.createUser()

    for (const path of [
      '/v1/tenants',
      api.users,
      api.applications,
      `${api.users}/${id}/credentials`,
    ]) {
      expectError(await api.get(`${path}?after=${after}`), 400, 'invalid_request')
    }
  },
)

test('after accepts only an id of the listed kind', async () => {
  await using api = await startApi()
  const { id } = await api.createUser()

  expect((await api.get(`${api.users}?after=${id}`)).status).toBe(200)
  expectError(await api.get(`${api.applications}?after=${id}`), 400, 'invalid_request')
  expectError(await api.get(`${api.users}?after=${api.tenantId}`), 400, 'invalid_request')
})

test('the list of credentials takes limit and after too', async () => {
  await using api = await startApi()
  const { id } = await api.createUser()
  const path = `${api.users}/${id}/credentials`
  const hash = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'
  await api.create(path, { password: { alg: 'bcrypt', hash } })

  expect((await api.get(`${path}?limit=1`)).body).toMatchObject({ total: 1, count: 1, limit: 1 })
  expect((await api.get(`${path}?after=password`)).body).toMatchObject({ total: 1, count: 0 })
})
