import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { trustedProxies } from './support/browser.ts'
import { type DisplacedMove, displacedMoves, startOwned } from './support/displaced-moves.ts'
import { startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { moveTime } from './support/token-endpoint.ts'
import { freeLimits, oneOf, walkAtIssuers } from './support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

describe.each(allStoreKinds)('on %s', (store) => {
  test('whoever proved the account last, or the operator, is never displaced without being told and being able to contest', () =>
    // Those of a night are ten thousand on SQLite.
    walkAtIssuers(store === 'sqlite' ? 50 : 4, async (parameters) => {
      const world = await startWithFactors({ store, trustedProxies, ...freeLimits })
      await using issuer = world.issuer
      let round = 0
      let disputes = 0

      async function walk(moves: readonly DisplacedMove[]): Promise<void> {
        const owned = await startOwned(world, ++round)
        for (const move of moves) {
          moveTime(5)
          await displacedMoves[move](owned)
        }
        disputes += owned.disputes
      }

      await walk([
        'the owner logs in on a new device',
        'the owner changes the password',
        'the owner moves to another mailbox',
        'the thief presses the links in the mailboxes that were left',
        'the thief presses the links in the mailboxes that were left',
      ])
      await fc.assert(
        fc.asyncProperty(fc.array(oneOf(displacedMoves), { maxLength: 8 }), walk),
        parameters,
      )
      // Without any, the property would hold for nothing.
      expect(disputes).toBeGreaterThan(0)
      expect(issuer.problems).toEqual([])
    }))
})
