import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alone, apart, sharing } from './all-drills.ts'

test('the table of measurements names every drill by its fault, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../bench/README.md'), 'utf8')
  const [, part = ''] = text.split('## Drills\n')
  const rows = part.split('\n## ')[0]?.match(/^\| .*$/gm) ?? []
  const cells = rows.map((row) => row.split('|')[2] ?? '')
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(named.toSorted()).toEqual(Object.keys({ ...sharing, ...apart, ...alone }).toSorted())
})
