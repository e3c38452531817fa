import { expect, test } from 'vitest'
import { countUsers, MAX_COUNTED } from '../../src/domain/operators/jobs.ts'
import { importUsers } from '../../src/domain/users/import-user.ts'
import { openApi } from '../support/context.ts'

test('a job for more users than are counted has the number that pages show as "more than"', async () => {
  await using api = await openApi('memory')
  const userOf = (n: number) => ({
    input: {
      email: `u${n}@example.com`,
      emailVerified: false,
      disabled: false,
      metadata: {},
      profile: {},
    },
    password: undefined,
  })
  for (let at = 0; at < MAX_COUNTED + 1_000; at += 1_000) {
    await importUsers(
      api.scope,
      Array.from({ length: 1_000 }, (_, n) => userOf(at + n)),
    )
  }
  expect(await countUsers(api.scope, { query: { search: 'u' } })).toBe(MAX_COUNTED + 1)
  expect(await countUsers(api.scope, { query: { search: 'u99' } })).toBe(111)
})
