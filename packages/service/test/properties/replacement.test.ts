import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Api, type StoreName, startApi } from '../support/api.ts'
import { instant, metadata, settings, text, url, verification } from './arbitraries.ts'

const runs: [store: StoreName, numRuns: number][] = [
  ['memory', 100],
  ['SQLite', 25],
]

// biome-ignore lint/suspicious/noExplicitAny: JSON as a client sees it
type Json = any

/** The object as the API returns it: without zero values, but for those that are never omitted. */
function withoutZeros(object: Json, keep: string[] = []): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => {
      const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
      return keep.includes(name) || (value && !isEmpty)
    }),
  )
}

const tenants = fc.record({ name: text, metadata, settings })
const applications = fc.record({
  name: text,
  metadata,
  login_url: fc.oneof(fc.constant(''), url),
  logout_urls: fc.array(url, { maxLength: 5 }),
  redirect_urls: fc.array(url, { maxLength: 5 }),
})
const users = fc.record({
  metadata,
  disabled: fc.boolean(),
  profile: fc.record({
    email: fc.integer({ min: 0, max: 1e9 }).map((n) => `u${n}@example.com`),
    name: text,
    family_name: text,
    given_name: text,
    nickname: text,
  }),
})

/** Posts `body`, and expects that GET gives back what was posted and what the write answered with. */
async function expectReplacement(
  api: Api,
  path: string,
  body: Json,
  expected: Json,
): Promise<void> {
  const before = (await api.get(path)).body
  const { status, body: answer } = await api.post(path, body)
  expect(status).toBe(200)
  const { type, id, created_at, secret } = before
  const system = { type, id, created_at, ...(secret && { secret }), updated_at: answer.updated_at }
  expect(answer).toEqual({ ...system, ...expected })
  expect(answer.updated_at > before.updated_at).toBe(true)
  expect((await api.get(path)).body).toEqual(answer)
}

/** Changes one member of what GET returns, and expects nothing else to change but `updated_at`. */
async function expectChangeOfOne(api: Api, path: string, change: Json): Promise<void> {
  const before = (await api.get(path)).body
  const { body } = await api.post(path, { ...before, ...change })
  const { [Object.keys(change)[0] as string]: _, ...rest } = before
  const changed = withoutZeros(change, ['logout_urls', 'redirect_urls'])
  expect(body).toEqual({ ...rest, ...changed, updated_at: body.updated_at })
  expect((await api.get(path)).body).toEqual(body)
}

describe.each(runs)('on %s', (store, numRuns) => {
  test('a tenant is fully replaced by what is posted', async () => {
    await using api = await startApi(store)
    await fc.assert(
      fc.asyncProperty(tenants, async (body) => {
        const expected = { ...withoutZeros(body), settings: withoutZeros(body.settings) }
        await expectReplacement(api, api.tenant, body, expected)
      }),
      { numRuns },
    )
  })

  test('an application is fully replaced by what is posted', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, {})
    await fc.assert(
      fc.asyncProperty(applications, async (body) => {
        const expected = withoutZeros(body, ['logout_urls', 'redirect_urls'])
        await expectReplacement(api, `${api.applications}/${id}`, body, expected)
      }),
      { numRuns },
    )
  })

  test('a user is fully replaced by what is posted', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser()
    await fc.assert(
      fc.asyncProperty(users, async (body) => {
        const expected = { ...withoutZeros(body), profile: withoutZeros(body.profile) }
        await expectReplacement(api, `${api.users}/${id}`, body, expected)
      }),
      { numRuns },
    )
  })

  test('what is created is what is read', async () => {
    await using api = await startApi(store)
    await fc.assert(
      fc.asyncProperty(users, applications, async (user, application) => {
        const created = await api.create(api.users, user)
        expect(created).toMatchObject({ profile: withoutZeros(user.profile) })
        expect((await api.get(`${api.users}/${created.id}`)).body).toEqual(created)
        expect((await api.delete(`${api.users}/${created.id}`)).body).toEqual(created)

        const made = await api.create(api.applications, application)
        const { secret: _, ...read } = (await api.get(`${api.applications}/${made.id}`)).body
        expect(read).toEqual(made)
      }),
      { numRuns },
    )
  })

  test('to GET, modify one member and POST changes that member and updated_at', async () => {
    await using api = await startApi(store)
    const user = await api.create(api.users, {
      profile: { email: 'ada@example.com', name: 'Ada', email_verified: true },
      metadata: { a: 'b' },
    })
    const application = await api.create(api.applications, {
      name: 'Shop',
      login_url: 'https://shop.example/',
      logout_urls: ['https://shop.example/bye'],
    })
    const one = fc.oneof(
      fc.record({ metadata }).map((change) => ({ path: api.tenant, change })),
      fc.record({ name: text }).map((change) => ({ path: api.tenant, change })),
      fc.record({ metadata }).map((change) => ({ path: `${api.users}/${user.id}`, change })),
      fc
        .record({ disabled: fc.boolean() })
        .map((change) => ({ path: `${api.users}/${user.id}`, change })),
      ...[{ name: text }, { metadata }, { login_url: url }, { redirect_urls: fc.array(url) }].map(
        (model) =>
          fc
            .record(model as Record<string, fc.Arbitrary<unknown>>)
            .map((change) => ({ path: `${api.applications}/${application.id}`, change })),
      ),
    )
    await fc.assert(
      fc.asyncProperty(one, ({ path, change }) => expectChangeOfOne(api, path, change)),
      { numRuns },
    )
  })

  test('verified_at and email_verified follow the address through any sequence of updates', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser('u0@example.com')
    let last = (await api.get(`${api.users}/${id}`)).body
    await fc.assert(
      fc.asyncProperty(verification, async ({ email, email_verified }) => {
        const { body } = await api.post(`${api.users}/${id}`, {
          profile: { email, email_verified },
        })
        const isSame = email.toLowerCase() === last.profile.email.toLowerCase()
        expect('verified_at' in body).toBe(isSame && email_verified)
        expect(body.profile.email_verified === true).toBe('verified_at' in body)
        if (last.verified_at && body.verified_at) expect(body.verified_at).toBe(last.verified_at)
        last = body
      }),
      { numRuns },
    )
  })

  test('the time of a verification is one of 1970 or later, and every list stays readable', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser('u0@example.com')
    const profile = { email: 'u0@example.com', email_verified: true }
    await fc.assert(
      fc.asyncProperty(instant, async (date) => {
        const posted = { profile, verified_at: date.toISOString() }
        const { status } = await api.post(`${api.users}/${id}`, posted)
        expect(status).toBe(date.getTime() < 0 ? 400 : 200)
        const list = await api.get(api.users)
        expect(list.status).toBe(200)
        const isPast = date.getTime() >= 0 && date.getTime() < Date.now()
        if (isPast) expect(Date.parse(list.body.data[0].verified_at)).toBe(date.getTime())
      }),
      { numRuns },
    )
  })
})
