import { expect, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
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
