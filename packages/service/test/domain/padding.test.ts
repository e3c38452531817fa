import * as bcrypt from '@node-rs/bcrypt'
import { afterEach, expect, test, vi } from 'vitest'
import { createPasswordEngine } from '../../src/domain/password-engine.ts'

vi.mock('@node-rs/bcrypt', { spy: true })

afterEach(() => {
  vi.clearAllMocks()
})

/** The work of all verifications so far, in rounds of bcrypt. */
function rounds(): number {
  const hashes = vi.mocked(bcrypt.verify).mock.calls.map(([, hash]) => String(hash))
  return hashes.reduce((sum, hash) => sum + 2 ** Number(hash.slice(4, 6)), 0)
}

test.each([8, 9, 10])(
  'a verification against a hash of cost %i is as much work as one for an unknown user',
  async (cost) => {
    const engine = createPasswordEngine()
    const hash = await bcrypt.hash('right', { cost })
    expect(await engine.verify('wrong', engine.dummyHash, 'ten_1')).toBe(false)
    const expected = rounds()
    for (const [text, matches] of [
      ['right', true],
      ['wrong', false],
    ] as const) {
      vi.clearAllMocks()
      expect(await engine.verify(text, hash, 'ten_1')).toBe(matches)
      expect(rounds()).toBe(expected)
    }
  },
)
