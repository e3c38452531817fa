import { expect, test } from 'vitest'
import { limit } from '../../../../test/support/limits.ts'
import { drillReleases } from './releases-drill.ts'

// Half of the processes each time; `npx pnpm test:drills` replaces all of them.
test('the last release and this one serve side by side, through the migration, forth and back, and no request fails', {
  timeout: limit(600),
}, async () => {
  const { users, codes, mails, failures } = await drillReleases({ clients: 1, replaced: 2 })
  expect(Math.min(users, codes, mails)).toBeGreaterThan(0)
  expect(failures).toBe(0)
})
