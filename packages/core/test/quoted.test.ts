import { expect, test } from 'vitest'
import { quoted } from '../src/provider/errors.ts'

test('nothing is left of a secret that begins with another secret', () => {
  const text = quoted('invalid_grant', 'The code tok-1-and-more is unknown.', [
    'tok-1',
    'tok-1-and-more',
  ])
  expect(text).toBe('"invalid_grant" (The code [secret] is unknown.)')
})
