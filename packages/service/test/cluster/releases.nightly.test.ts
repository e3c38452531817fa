import { expect, test } from 'vitest'
import { drillReleases } from './releases-drill.ts'

test('the last release and this one serve side by side, through the migration, forth and back, and no request fails', {
  timeout: 300_000,
}, async () => {
  const { users, codes, mails, failures } = await drillReleases()
  expect(Math.min(users, codes, mails)).toBeGreaterThan(0)
  expect(failures).toBe(0)
})
