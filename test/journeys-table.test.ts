import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { journeyTable } from './journeys/table.ts'

const RENEW = 'LATCHKEY_JOURNEYS=renew npx pnpm test test/journeys-table'

const file = join(root, 'docs/guides/browsers.md')

test('docs/guides/browsers.md has every journey, and for each browser "works" or the reason', () => {
  const before = readFileSync(file, 'utf8')
  const after = before.replace(/^\| Journey(.*\n)*?(?=\n)/m, () => `${journeyTable()}\n`)
  if (process.env.LATCHKEY_JOURNEYS === 'renew') writeFileSync(file, after)
  expect(before, `The table is out of date. Make it again: ${RENEW}`).toBe(after)
})
