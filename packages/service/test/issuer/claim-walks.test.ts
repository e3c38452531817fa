import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attack, claims, reaches, squat, strangerMoves } from './support/claim-moves.ts'
import { allFactors } from './support/factors.ts'
import { allStoreKinds } from './support/issuer.ts'
import { startWithProvider } from './support/social.ts'
import { freeLimits, oneOf, walkAtIssuers } from './support/walks.ts'

const HOUR = 3_600_000

describe.each(allStoreKinds)('on %s', (store) => {
  test(
    'after the owner of an address has claimed the account, no stranger reaches a token, and the owner does',
    () =>
      walkAtIssuers(5, async (parameters) => {
        const settings = { allowUnverified: true, allowHardware: true, ...allFactors }
        await using world = await startWithProvider({ store, settings, ...freeLimits })
        let round = 0
        await fc.assert(
          fc.asyncProperty(
            fc.array(oneOf(strangerMoves), { maxLength: 6 }),
            oneOf(claims),
            async (moves, way) => {
              const account = await squat(world, ++round)
              for (const move of moves) await strangerMoves[move](account)
              await claims[way](account)
              expect(await attack(account)).toBe(0)
              expect(await reaches(account)).toBe(true)
            },
          ),
          parameters,
        )
        expect(world.issuer.problems).toEqual([])
      }),
    4 * HOUR,
  )
})
