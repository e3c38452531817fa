import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

test('a key that makes more requests than it may is refused with rate_limited and retry-after', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 3 })

  const answers = await Promise.all(Array.from({ length: 40 }, () => api.get(api.tenant)))

  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(3)
  expect(refused).not.toEqual([])
  for (const answer of refused) {
    expectError(answer, 429, 'rate_limited')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
})

test('the limit is counted for each key', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 1 })
  const { admin } = api.service
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => admin.createApiKey({ name: 'x', reach: 'all' })),
  )

  const answers = await Promise.all(
    keys.map(({ secret }) => api.get(api.tenant, { authorization: `Bearer ${secret}` })),
  )

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})

test('refused requests count, for every reason of refusal', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 3 })

  const answers = await Promise.all(Array.from({ length: 40 }, () => api.get('/v1/nothing')))

  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].sort()).toEqual([404, 429])
})

test('a request that is refused with rate_limited changes nothing', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 3 })
  const { admin } = api.service
  const { secret } = await admin.createApiKey({ name: 'reader', reach: 'all' })

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      return api.post(api.users, { profile: { email: `u${i}@example.com` } })
    }),
  )

  const created = answers.filter(({ status }) => status === 200)
  const list = await api.get(api.users, { authorization: `Bearer ${secret}` })
  expect(list.body.total).toBe(created.length)
})

test('an unlimited number of bad keys is refused with authentication_failure', async () => {
  await using api = await startApi('memory', { requestsPerSecond: 1 })

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => api.get(api.tenant, { authorization: 'Bearer nobody' })),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
})
