import { describe, expect, test } from 'vitest'
import { type Answer, startApi, stores } from './support/api.ts'
import { bcryptOf } from './support/hashes.ts'

function count(answers: Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

describe.each(stores)('on %s', (store) => {
  test('200 parallel creates lose nothing, and the total is exact', async () => {
    await using api = await startApi(store)

    const created = await Promise.all(
      Array.from({ length: 200 }, (_, i) => api.createUser(`u${i}@example.com`)),
    )

    const pages = [await api.get(api.users)]
    pages.push(await api.get(`${api.users}?after=${pages[0]?.body.data.at(-1).id}`))
    const listed = pages.flatMap(({ body }) => body.data)
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
    expect(listed).toEqual([...created].sort(byId))
    expect(pages[0]?.body.total).toBe(200)
  })

  test('parallel creates and deletes leave an exact total', async () => {
    await using api = await startApi(store)
    const old = await Promise.all(Array.from({ length: 40 }, () => api.createUser()))

    await Promise.all([
      ...old.flatMap(({ id }) => [
        api.delete(`${api.users}/${id}`),
        api.delete(`${api.users}/${id}`),
      ]),
      ...Array.from({ length: 30 }, (_, i) => api.createUser(`new${i}@example.com`)),
    ])

    expect((await api.get(api.users)).body).toMatchObject({ total: 30, count: 30 })
  })

  test('parallel updates of one object end in one of the written states', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser('ada@example.com')
    const path = `${api.users}/${id}`

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const profile = { email: 'ada@example.com', name: `Name ${i}` }
        return api.post(path, { profile, metadata: { number: String(i) } })
      }),
    )

    expect(count(answers, 200)).toBe(50)
    const final = (await api.get(path)).body
    const written = answers.map(({ body }) => body)
    expect(written).toContainEqual(final)
    for (const { profile, metadata } of written)
      expect(profile.name).toBe(`Name ${metadata.number}`)
    const stamps = written.map(({ updated_at }) => updated_at)
    expect(new Set(stamps).size).toBe(50)
    expect(final.updated_at).toBe(stamps.sort().at(-1))
  })

  test('of parallel creates of one address, exactly one wins', async () => {
    await using api = await startApi(store)

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const email = i % 2 ? 'ada@example.com' : 'Ada@Example.com'
        return api.post(api.users, { profile: { email } })
      }),
    )

    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 29])
    const { total, data } = (await api.get(api.users)).body
    expect([total, data]).toEqual([1, [answers.find(({ status }) => status === 200)?.body]])
  })

  test('of parallel moves to one address, exactly one wins', async () => {
    await using api = await startApi(store)
    const users = await Promise.all(Array.from({ length: 20 }, () => api.createUser()))

    const answers = await Promise.all(
      users.map(({ id }) =>
        api.post(`${api.users}/${id}`, { profile: { email: 'a@example.com' } }),
      ),
    )

    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 19])
  })

  test('of parallel creates of one credential, exactly one wins', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser()
    const path = `${api.users}/${id}/credentials`

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const hash = bcryptOf[i % 2 ? 10 : 12]
        return api.post(path, { password: { alg: 'bcrypt', hash }, metadata: { n: String(i) } })
      }),
    )

    expect([count(answers, 200), count(answers, 409)]).toEqual([1, 19])
    const winner = answers.find(({ status }) => status === 200)
    expect((await api.get(path)).body).toMatchObject({ total: 1, data: [winner?.body] })
  })

  test('a user that is deleted while credentials are created leaves none behind', async () => {
    await using api = await startApi(store)
    const users = await Promise.all(Array.from({ length: 15 }, () => api.createUser()))

    await Promise.all(
      users.flatMap(({ id }) => {
        const password = { alg: 'bcrypt', hash: bcryptOf[10] }
        return [
          api.post(`${api.users}/${id}/credentials`, { password }),
          api.delete(`${api.users}/${id}`),
        ]
      }),
    )

    expect((await api.get(api.users)).body.total).toBe(0)
    for (const { id } of users) {
      expect((await api.get(`${api.users}/${id}/credentials/password`)).status).toBe(404)
    }
  })

  test('of parallel creates of endpoints, connections and an API, none goes past its limit', async () => {
    await using api = await startApi(store)
    const webhooks = `/x${api.tenant}/webhooks`

    const endpoints = await Promise.all(
      Array.from({ length: 15 }, (_, i) => api.post(webhooks, { url: `https://a.example/${i}` })),
    )
    expect([count(endpoints, 200), count(endpoints, 409)]).toEqual([10, 5])
    expect((await api.get(webhooks)).body.data).toHaveLength(10)

    const { admin } = api.service
    const connections = await Promise.allSettled(
      Array.from({ length: 25 }, (_, i) =>
        admin.createConnection(api.tenantId, {
          ...{ recipe: 'google', name: `Google ${i}`, clientId: 'c', secret: 's' },
        }),
      ),
    )
    expect(connections.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await admin.listConnections(api.tenantId)).toHaveLength(20)

    const metadata = { latchkey_api: 'https://api.example.com' }
    const plain = await api.create(api.applications, { name: 'Plain' })
    const offering = await Promise.all([
      ...Array.from({ length: 5 }, () => api.post(api.applications, { name: 'Shop', metadata })),
      api.post(`${api.applications}/${plain.id}`, { name: 'Plain', metadata }),
    ])
    expect([count(offering, 200), count(offering, 400)]).toEqual([1, 5])
    const owner = offering.find(({ status }) => status === 200)?.body.id
    const again = await api.post(`${api.applications}/${owner}`, { name: 'Renamed', metadata })
    expect(again.status).toBe(200)
  })
})
