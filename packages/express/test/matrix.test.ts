import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMBINATIONS, combinationOf } from './support/matrix.ts'

test.skipIf(process.env.LATCHKEY_MATRIX)(
  'an ordinary run of the login suite covers every store, on both versions of Express',
  () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
    const met = new Set(files.map((name) => combinationOf(name)))

    expect(met).toEqual(new Set(COMBINATIONS))
  },
)
