import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { EDGES } from './mutants/edges.ts'
import { MUTANTS } from './mutants/mutants.ts'

// Running them takes half an hour: `npx pnpm test:mutants`.
test.each([...MUTANTS, ...EDGES])(
  'the defect "$name" has its place in the source',
  ({ file, find }) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    expect(source.split(find)).toHaveLength(2)
  },
)
