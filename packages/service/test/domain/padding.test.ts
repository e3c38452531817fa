import * as bcrypt from '@node-rs/bcrypt'
import { afterEach, expect, test, vi } from 'vitest'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import { verifyPassword } from '../../src/domain/users/passwords.ts'
import { getUser } from '../../src/domain/users/users.ts'
import { stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'

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

test.each(stores)(
  'on %s, with imported hashes of a higher cost a wrong password is as much work for every user as for an unknown address',
  async (store) => {
    const passwords = createPasswordEngine()
    await using api = await openApi(store, { passwords })
    const withCost = async (cost: number) => {
      const { id } = await api.createUser()
      const hash = await bcrypt.hash('right', { cost })
      await api.create(`${api.users}/${id}/credentials`, { password: { alg: 'bcrypt', hash } })
      return getUser(api.scope, id)
    }
    const none = await getUser(api.scope, (await api.createUser()).id)
    const users = [await withCost(8), await withCost(10), await withCost(11), none, undefined]
    const workOf = async (user: (typeof users)[number]) => {
      vi.clearAllMocks()
      expect(await verifyPassword(api.scope, user, 'wrong')).toMatchObject({ kind: 'refused' })
      return rounds()
    }
    const work: number[] = []
    for (const user of users) work.push(await workOf(user))
    expect(new Set(work)).toEqual(new Set([2 ** 11]))

    // Without them, all are as much work as the standard cost.
    const [, , costly] = users
    expect((await verifyPassword(api.scope, costly, 'right')).kind).toBe('verified')
    expect(await workOf(undefined)).toBe(2 ** 10)
  },
)
