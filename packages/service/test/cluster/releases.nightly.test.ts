import { expect, test } from 'vitest'
import { limit } from '../../../../test/support/limits.ts'
import { drillReleases } from './releases-drill.ts'

test('the last release and this one serve side by side, through the migration, forth and back, no request fails, and no logout has two notices', {
  timeout: limit(600),
}, async () => {
  const found = await drillReleases({ clients: 1 })
  expect(Math.min(found.users, found.codes, found.mails, found.notices)).toBeGreaterThan(0)
  expect(found).toMatchObject({ failures: 0, noticesTwice: 0 })
})
