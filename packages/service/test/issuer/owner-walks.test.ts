import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { trustedProxies } from './support/browser.ts'
import { allFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import {
  expectIntruderOut,
  expectOwnerBack,
  extraWays,
  intrude,
  intruderMoves,
  ownerMoves,
} from './support/owner-moves.ts'
import { startWithProvider } from './support/social.ts'
import { moveTime } from './support/token-endpoint.ts'
import { freeLimits, namesOf, walkAtIssuers } from './support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const moves = { ...intruderMoves, ...ownerMoves }

const theirs = namesOf(intruderMoves)

type Move = keyof typeof moves

/** The intruder moves the account away, and takes the address of the owner, who proves that account. */
const displaced = [
  'the intruder changes the address',
  'the intruder makes an account with the address of the owner',
  'the owner asks for a new password',
] as const

describe.each(allStoreKinds)('on %s', (store) => {
  test('from every state that an intruder can make, the owner regains the account by mail, and the intruder has no access left', () =>
    walkAtIssuers(3, async (parameters) => {
      const settings = {
        ...allFactors,
        allowHardware: true,
        allowUnverified: true,
        rememberDevice: true,
      }
      const options = { store, settings, trustedProxies, ...freeLimits }
      await using world = await startWithProvider(options)
      let round = 0

      async function walk(ways: readonly (keyof typeof extraWays)[], steps: readonly Move[]) {
        const intrusion = await intrude(world, ++round, ways)
        for (const step of steps) {
          moveTime(5)
          await moves[step](intrusion)
        }
        await expectOwnerBack(intrusion)
        await expectIntruderOut(intrusion)
      }

      await walk([], displaced)
      await walk([], [...displaced, 'the owner takes the newest change back'])
      await walk([], theirs)
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(namesOf(extraWays)),
          // Each step of the intruder is twice as likely as one of the owner.
          fc.array(fc.constantFrom<Move>(...theirs, ...theirs, ...namesOf(ownerMoves)), {
            maxLength: 8,
          }),
          walk,
        ),
        parameters,
      )
      expect(world.issuer.problems).toEqual([])
    }))
})
