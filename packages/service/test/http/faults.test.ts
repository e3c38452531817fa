import { expect, test, vi } from 'vitest'
import { OutcomeUnknownError, StoreError } from '../../src/store/errors.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { openApi } from '../support/context.ts'
import { expectError } from '../support/errors.ts'

/** The store, except that its users fail with `error`. */
function failingUsers(error: Error): (store: DataStore) => DataStore {
  return (store) => ({
    ...store,
    users: {
      ...store.users,
      insert: () => Promise.reject(error),
      get: () => Promise.reject(error),
      list: () => Promise.reject(error),
    },
  })
}

test('a store that fails is answered with 503 unavailable and retry-after', async () => {
  const wrap = failingUsers(new StoreError('disk /var/lib/latchkey is full'))
  await using api = await openApi('memory', { wrap })

  for (const answer of [
    await api.get(api.users),
    await api.get(`${api.users}/usr_0`),
    await api.post(api.users, { profile: { email: 'ada@example.com' } }),
  ]) {
    expectError(answer, 503, 'unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(answer.headers.get('latchkey-error-detail')).not.toContain('/var')
    expect(answer.headers.get('latchkey-outcome')).toBeNull()
  }
})

test('a defect is answered with 500 internal_error, which says nothing about it', async () => {
  const wrap = failingUsers(new TypeError('cannot read "secret" of undefined'))
  await using api = await openApi('memory', { wrap })

  for (const answer of [
    await api.get(api.users),
    await api.post(api.users, { profile: { email: 'ada@example.com' } }),
  ]) {
    expectError(answer, 500, 'internal_error')
    expect(answer.headers.get('latchkey-error-detail')).not.toContain('secret')
  }
  expect((await api.get(api.tenant)).status).toBe(200)
})

test.each([
  ['fails', () => Promise.reject(new StoreError('disk /var/lib/latchkey is full'))],
  ['never ends', () => new Promise<never>(() => {})],
] as const)(
  'a read is answered although the write of the last use of its API key %s',
  async (_, touch) => {
    const touched: string[] = []
    const wrap = (store: DataStore): DataStore => ({
      ...store,
      apiKeys: {
        ...store.apiKeys,
        touch(id) {
          touched.push(id)
          return touch()
        },
      },
    })
    await using api = await openApi('memory', { wrap })
    for (const path of [api.users, api.tenant]) expect((await api.get(path)).status).toBe(200)
    expect(touched).toHaveLength(1)
  },
)

test('of the uses of an API key, one is stored at a time, and the next one a minute later', async () => {
  const writes: PromiseWithResolvers<void>[] = []
  const wrap = (store: DataStore): DataStore => ({
    ...store,
    apiKeys: {
      ...store.apiKeys,
      touch() {
        const write = Promise.withResolvers<void>()
        writes.push(write)
        return write.promise
      },
    },
  })
  await using api = await openApi('memory', { wrap })
  const now = vi.spyOn(api.context.clock, 'now')
  const begun = Date.now()
  const getAfter = async (seconds: number) => {
    now.mockReturnValue(begun + seconds * 1_000)
    expect((await api.get(api.tenant)).status).toBe(200)
    return writes.length
  }
  expect(await getAfter(0)).toBe(1)
  expect(await getAfter(70)).toBe(1)
  writes[0]?.reject(new StoreError('disk is full'))
  expect(await getAfter(100)).toBe(1)
  expect(await getAfter(140)).toBe(2)
})

test('a write whose answer the database lost is answered as one that may have been carried out', async () => {
  const wrap = failingUsers(new OutcomeUnknownError('the connection to 10.0.0.7 was lost'))
  await using api = await openApi('memory', { wrap })
  const answer = await api.post(api.users, { profile: { email: 'ada@example.com' } })
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('latchkey-outcome')).toBe('unknown')
  expect(answer.headers.get('latchkey-error-detail')).toContain('it may have been written')
  expect(answer.headers.get('latchkey-error-detail')).not.toContain('10.0.0.7')
})

/** Runs a write of the store, and loses its answer, as a connection does that breaks. */
function lostAfter<A extends unknown[]>(write: (...given: A) => Promise<unknown>) {
  return async (...given: A): Promise<never> => {
    await write(...given)
    throw new OutcomeUnknownError('the connection was lost')
  }
}

const usersOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ profile: { email: `user-${n}@example.com` } }))

test('users of an import whose common write lost its answer are reported as created, not as those of another', async () => {
  const wrap = (store: DataStore): DataStore => ({
    ...store,
    users: { ...store.users, insertMany: lostAfter(store.users.insertMany) },
  })
  await using api = await openApi('memory', { wrap })
  const { status, body } = await api.post(`/x${api.users}/import`, { users: usersOf(3) })
  expect([status, body.created, body.existing]).toEqual([200, 3, 0])
  const listed = (await api.get(api.users)).body.data.map(({ id }: { id: string }) => id)
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(listed.sort())
})

test('a user of an import whose own write lost its answer is refused as possibly created', async () => {
  const wrap = (store: DataStore): DataStore => ({
    ...store,
    users: { ...store.users, insert: lostAfter(store.users.insert) },
  })
  await using api = await openApi('memory', { wrap })
  const { body } = await api.post(`/x${api.users}/import`, { users: usersOf(1) })
  expect(body.data).toMatchObject([
    { status: 'refused', code: 'unavailable', status_code: 503, outcome: 'unknown' },
  ])
  expect((await api.get(api.users)).body.total).toBe(1)
})

test('an update of a tenant is answered with the tenant although its effects cannot be read', async () => {
  let isFull = false
  const wrap = (store: DataStore): DataStore => ({
    ...store,
    applications: {
      ...store.applications,
      list: (...asked) =>
        isFull ? Promise.reject(new StoreError('disk is full')) : store.applications.list(...asked),
    },
  })
  await using api = await openApi('memory', { wrap })
  isFull = true
  const body = { name: 'New', settings: { domain: 'acme.example', allow_passwords: true } }
  const answer = await api.post(api.tenant, body)
  expect([answer.status, answer.body]).toMatchObject([200, body])
  expect(answer.headers.get('latchkey-warning')).toContain('could not be read')
  expect((await api.get(api.tenant)).body).toEqual(answer.body)
})

test('an import that cannot be noted after its users were written does not claim to have written nothing', async () => {
  const wrap = (store: DataStore): DataStore => ({
    ...store,
    audit: { ...store.audit, append: () => Promise.reject(new StoreError('disk is full')) },
  })
  await using api = await openApi('memory', { wrap })
  const answer = await api.post(`/x${api.users}/import`, { users: usersOf(2) })
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('latchkey-outcome')).toBe('unknown')
  expect((await api.get(api.users)).body.total).toBe(2)
})
