import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { examples, tryExamples, usual } from './support/examples.ts'

tryExamples(examples.filter(({ name }) => usual.includes(name)))

test('every example that serves pages is started, in every run or each night', () => {
  const folders = globSync('examples/*/src/start.{ts,js}', { cwd: root })
  // What `npx pnpm start` runs has a test of its own.
  const elsewhere = ['three-routes']
  const names = folders.map((file) => file.split('/')[1] ?? '')
  expect(names.filter((name) => !elsewhere.includes(name)).sort()).toEqual(
    examples.map(({ name }) => name),
  )
})
