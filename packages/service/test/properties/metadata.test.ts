import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

function codePoints(text: string): number {
  return [...text].length
}

test('metadata is kept as it is within its limits, and refused as a whole beyond them', async () => {
  await using api = await startApi()
  const { id } = await api.create(api.applications, {})
  const path = `${api.applications}/${id}`
  const unit = fc.constantFrom('x', 'é', '用', '😀')
  const key = fc.oneof(
    fc.string({ unit, maxLength: 5 }),
    fc.string({ unit, minLength: 98, maxLength: 102, size: 'max' }),
  )
  const value = fc.oneof(
    fc.string({ unit, maxLength: 5 }),
    fc.tuple(unit, fc.integer({ min: 998, max: 1_002 })).map(([char, n]) => char.repeat(n)),
  )
  const few = fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name })
  const many = fc
    .integer({ min: 18, max: 22 })
    .map((n) => Array.from({ length: n }, (_, i): [string, string] => [`k${i}`, 'v']))

  await fc.assert(
    fc.asyncProperty(fc.oneof(few, many), async (entries) => {
      const metadata = Object.fromEntries(entries)
      const isWithin =
        entries.length <= 20 &&
        entries.every(([name, text]) => codePoints(name) <= 100 && codePoints(text) <= 1_000)

      const answer = await api.post(path, { metadata })

      if (!isWithin) return expectError(answer, 400, 'invalid_metadata')
      expect(answer.status).toBe(200)
      expect((await api.get(path)).body.metadata ?? {}).toEqual(metadata)
    }),
    { numRuns: 150 },
  )
})
