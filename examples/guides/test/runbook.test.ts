import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/packages.ts'

test('the runbook says for each alarm which entry to follow', () => {
  const guide = readFileSync(join(root, 'docs/guides/runbook.md'), 'utf8')
  const alarms = readFileSync(join(root, 'examples/watching/alarms.yaml'), 'utf8')
  const names = [...alarms.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !guide.includes(`| \`${name}\``))).toEqual([])
})
